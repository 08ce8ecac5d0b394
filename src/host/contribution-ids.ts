import type { SettingName } from '../app/settings.ts';

/** Every name that package.json contributes, or that VS Code derives from one; a test compares the two. */

export const CONTAINER = 'ledgerline';
export const CHAT_VIEW = 'ledgerline.chat';
export const SESSIONS_VIEW = 'ledgerline.sessions';
export const DIAGNOSTICS_VIEW = 'ledgerline.diagnostics';
/** Of the tabs with the transcripts of children. */
export const AGENT_PANEL = 'ledgerline.agent';
/** VS Code makes one such command for each view. */
export const FOCUS_CHAT_VIEW = 'ledgerline.chat.focus';

/**
 * For `when` clauses: the keys of the person go to the chat. VS Code's `focusedView` leaves pages out. That the page has
 * lost them is heard a moment later, so the clauses also ask for `!editorFocus`, which is known at once.
 */
export const CHAT_FOCUSED = 'ledgerline.chatFocused';

/** For `when` clauses: the addresses of the diffs whose code can be applied. */
export const PROPOSED_CODE = 'ledgerline.proposedCode';

export const CHAT_COMMANDS = {
  newSession: 'ledgerline.newSession',
  stop: 'ledgerline.stop',
  retryTurn: 'ledgerline.retryTurn',
  continueTurn: 'ledgerline.continueTurn',
  takeOver: 'ledgerline.takeOver',
  reopenSession: 'ledgerline.reopenSession',
  setApiKey: 'ledgerline.setApiKey',
  selectModel: 'ledgerline.selectModel',
  selectMode: 'ledgerline.selectMode',
  useOfflineModel: 'ledgerline.useOfflineModel',
  compact: 'ledgerline.compact',
  compactDryRun: 'ledgerline.compactDryRun',
  runWorkflow: 'ledgerline.runWorkflow',
  showSkills: 'ledgerline.showSkills',
  showOutput: 'ledgerline.showOutput',
} as const;

export const SESSION_COMMANDS = {
  openSession: 'ledgerline.openSession',
  fork: 'ledgerline.fork',
  forkHere: 'ledgerline.forkHere',
  forkHereWithSummary: 'ledgerline.forkHereWithSummary',
  exportSession: 'ledgerline.exportSession',
  importSession: 'ledgerline.importSession',
  renameSession: 'ledgerline.renameSession',
  pinSession: 'ledgerline.pinSession',
  unpinSession: 'ledgerline.unpinSession',
  archiveSession: 'ledgerline.archiveSession',
  unarchiveSession: 'ledgerline.unarchiveSession',
  deleteSession: 'ledgerline.deleteSession',
  restoreSession: 'ledgerline.restoreSession',
  searchSessions: 'ledgerline.searchSessions',
  copySessionId: 'ledgerline.copySessionId',
} as const;

export const STORAGE_COMMANDS = {
  showStorage: 'ledgerline.showStorage',
  collectContents: 'ledgerline.collectContents',
  emptyTrash: 'ledgerline.emptyTrash',
  removeDeletedSession: 'ledgerline.removeDeletedSession',
} as const;

/** Of one line of the tree of sessions: they never ask which one is meant. */
export const SESSION_ROW_COMMANDS = {
  openSessionRow: 'ledgerline.openSessionRow',
  openSessionRowTranscript: 'ledgerline.openSessionRowTranscript',
  renameSessionRow: 'ledgerline.renameSessionRow',
  pinSessionRow: 'ledgerline.pinSessionRow',
  unpinSessionRow: 'ledgerline.unpinSessionRow',
  archiveSessionRow: 'ledgerline.archiveSessionRow',
  unarchiveSessionRow: 'ledgerline.unarchiveSessionRow',
  forkSessionRow: 'ledgerline.forkSessionRow',
  exportSessionRow: 'ledgerline.exportSessionRow',
  openSessionRowLog: 'ledgerline.openSessionRowLog',
  copySessionRowId: 'ledgerline.copySessionRowId',
  deleteSessionRow: 'ledgerline.deleteSessionRow',
} as const;

export const DIAGNOSTICS_COMMANDS = {
  openLog: 'ledgerline.openLog',
  inspectRequest: 'ledgerline.inspectRequest',
  diagnose: 'ledgerline.diagnose',
  revealLogLine: 'ledgerline.revealLogLine',
  inspectNodeRequest: 'ledgerline.inspectNodeRequest',
  openCheckpoint: 'ledgerline.openCheckpoint',
  runNextAction: 'ledgerline.runNextAction',
  revealInChat: 'ledgerline.revealInChat',
  copyNode: 'ledgerline.copyNode',
  openNodeTranscript: 'ledgerline.openNodeTranscript',
  showEarlierTurns: 'ledgerline.showEarlierTurns',
} as const;

export const EDIT_COMMANDS = {
  undoTurn: 'ledgerline.undoTurn',
  redoTurn: 'ledgerline.redoTurn',
  previewUndo: 'ledgerline.previewUndo',
  mergeUndo: 'ledgerline.mergeUndo',
  confirmUndo: 'ledgerline.confirmUndo',
  confirmRedo: 'ledgerline.confirmRedo',
  applyCode: 'ledgerline.applyCode',
  discardCode: 'ledgerline.discardCode',
} as const;

export const EDITOR_COMMANDS = {
  explainSelection: 'ledgerline.explainSelection',
  fixSelection: 'ledgerline.fixSelection',
  askSelection: 'ledgerline.askSelection',
  fixProblem: 'ledgerline.fixProblem',
  askTerminal: 'ledgerline.askTerminal',
  askTerminalSelection: 'ledgerline.askTerminalSelection',
  writeCommitMessage: 'ledgerline.writeCommitMessage',
  goToDecision: 'ledgerline.goToDecision',
  chooseProvider: 'ledgerline.chooseProvider',
  openWalkthrough: 'ledgerline.openWalkthrough',
} as const;

/** About children and workflows of a session. Who calls them says which. */
export const AGENT_COMMANDS = {
  openAgent: 'ledgerline.openAgent',
  stopAgent: 'ledgerline.stopAgent',
  resumeAgent: 'ledgerline.resumeAgent',
  discardAgent: 'ledgerline.discardAgent',
  resumeWorkflow: 'ledgerline.resumeWorkflow',
} as const;

export const COMMANDS = {
  ...CHAT_COMMANDS,
  ...SESSION_COMMANDS,
  ...STORAGE_COMMANDS,
  ...SESSION_ROW_COMMANDS,
  ...DIAGNOSTICS_COMMANDS,
  ...EDIT_COMMANDS,
  ...EDITOR_COMMANDS,
  ...AGENT_COMMANDS,
} as const;

/** A next action that is no command of VS Code: the conversation knows which process is meant. */
export const END_PROCESS = 'ledgerline.endProcess';

/** Of documents that are shown and are no files. */
export const SHOWN_SCHEME = 'ledgerline-shown';

/** Of documents that show what an undo would do, or taking one back: buttons in their title carry it out. */
export const UNDO_SCHEME = 'ledgerline-undo';
export const REDO_SCHEME = 'ledgerline-redo';

/** Of images that are shown as they are in the log. */
export const IMAGE_SCHEME = 'ledgerline-image';

export type ChatCommand = keyof typeof CHAT_COMMANDS;
export type SessionCommand = keyof typeof SESSION_COMMANDS;
export type StorageCommand = keyof typeof STORAGE_COMMANDS;
export type SessionRowCommand = keyof typeof SESSION_ROW_COMMANDS;
export type DiagnosticsCommand = keyof typeof DIAGNOSTICS_COMMANDS;
export type EditCommand = keyof typeof EDIT_COMMANDS;
export type EditorCommand = keyof typeof EDITOR_COMMANDS;
export type AgentCommand = keyof typeof AGENT_COMMANDS;
export type CommandName = keyof typeof COMMANDS;

export const SETTINGS_SECTION = 'ledgerline';

/**
 * Who may set what. `machine`: only the person, on the machine where it runs. `tighten`: a workspace may only
 * make it stricter. `anyone`: the most specific value counts.
 */
export const SETTING_REACH = {
  provider: 'machine',
  baseUrl: 'machine',
  model: 'anyone',
  reasoningEffort: 'anyone',
  contextWindow: 'anyone',
  transport: 'anyone',
  permissionMode: 'tighten',
  permissions: 'tighten',
  'approvals.batch': 'anyone',
  turnTimeout: 'anyone',
  streamIdleTimeout: 'anyone',
  maxRounds: 'anyone',
  tokenBudget: 'anyone',
  'subagents.maxRunning': 'anyone',
  'subagents.maxDepth': 'anyone',
  'subagents.timeout': 'anyone',
  'compaction.strategy': 'anyone',
  notifications: 'anyone',
  'retention.archiveAfterDays': 'machine',
  'retention.trashDays': 'machine',
} as const satisfies Record<SettingName, 'machine' | 'tighten' | 'anyone'>;

export const API_KEY_SECRET = 'ledgerline.apiKey';
/** In the workspace's memory: the session that was shown last. */
export const LAST_SESSION = 'ledgerline.lastSession';
/** In the workspace's memory: how the last turn stood, and which suspensions a notification has called for. */
export const LAST_TURN = 'ledgerline.lastTurn';
export const CALLED_FOR = 'ledgerline.calledFor';
/** Names for `when` clauses: who answers, and that somebody has looked at what a log says. */
export const PROVIDER_KEY = 'ledgerline.provider';
export const EVIDENCE_KEY = 'ledgerline.hasSeenEvidence';
/** As VS Code wants it: the extension, then the walkthrough. */
export const WALKTHROUGH = 'ledgerline.ledgerline#ledgerline.start';
/** In the workspace's memory: the model and the mode that were picked here. */
export const CHOICES = 'ledgerline.choices';
/** In the memory of the person, for every workspace: the models that were picked last. */
export const RECENT_MODELS = 'ledgerline.recentModels';
/** In the workspace's memory: where one was reading in the last sessions. */
export const PLACES = 'ledgerline.places';

export function settingId(name: SettingName): string {
  return `${SETTINGS_SECTION}.${name}`;
}
