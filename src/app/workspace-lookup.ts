/** What is looked up in the workspace now and then: loaded when somebody first does. */
export { artifactIn } from './artifacts.ts';
export { resolveAttachment, resolveAttachments } from './attachments.ts';
export { findSkills } from './skills.ts';
export { findTemplates, specOfTemplate } from './workflow-templates.ts';
