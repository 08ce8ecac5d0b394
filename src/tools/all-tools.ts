/** All that makes tools, for those who load it late: schemas weigh much. */
export { activateSkillTool } from './activate-skill.ts';
export { agentTools } from './agent-tools.ts';
export { reportCheckpointTool } from './report-checkpoint.ts';
export { runWorkflowTool } from './run-workflow.ts';
export { createToolBox } from './tool-box.ts';
