/** Commands that most windows never use: loaded together, when somebody uses one. */
export { agentCommands } from './agent-commands.ts';
export { askForKey } from './api-key-question.ts';
export { diagnosticsCommands } from './diagnostics-commands.ts';
export { editCommands } from './edit-commands.ts';
export { editorCommands } from './editor-commands.ts';
export { selectMode, selectModel } from './pickers.ts';
export { sessionCommands } from './session-commands.ts';
export { sessionRowCommands } from './session-row-commands.ts';
export { pickSkill } from './skill-picker.ts';
export { storageCommands } from './storage-commands.ts';
export { usedBySession } from './storage-text.ts';
export { keepStorage } from './storage-keeper.ts';
export { pickWorkflow } from './workflow-picker.ts';
