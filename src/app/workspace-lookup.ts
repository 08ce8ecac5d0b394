/** What is looked up in the workspace now and then: loaded when somebody first does. */
export { artifactIn } from './artifacts.ts';
export { standingOf, unfitAttachments } from './attachment-standing.ts';
export { resolveAttachment, resolveAttachments } from './attachments.ts';
export { findSkills, skillOf } from './skills.ts';
export { toldSkills } from './told-skills.ts';
export { findTemplates, specOfTemplate } from './workflow-templates.ts';
