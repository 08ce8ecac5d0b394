/** Commands that most windows never use: loaded together, when somebody uses one. */
export { agentCommands } from './agent-commands.ts';
export { diagnosticsCommands } from './diagnostics-commands.ts';
export { editorCommands } from './editor-commands.ts';
export { selectMode, selectModel } from './pickers.ts';
export { sessionCommands } from './session-commands.ts';
export { sessionRowCommands } from './session-row-commands.ts';
export { pickWorkflow } from './workflow-picker.ts';
