import type { SettingName } from '../app/settings.ts';

/** Every name that package.json contributes, or that VS Code derives from one; a test compares the two. */

export const CONTAINER = 'ledgerline';
export const CHAT_VIEW = 'ledgerline.chat';
/** VS Code makes one such command for each view. */
export const FOCUS_CHAT_VIEW = 'ledgerline.chat.focus';

export const COMMANDS = {
  newSession: 'ledgerline.newSession',
  stop: 'ledgerline.stop',
  retryTurn: 'ledgerline.retryTurn',
  continueTurn: 'ledgerline.continueTurn',
  takeOver: 'ledgerline.takeOver',
  reopenSession: 'ledgerline.reopenSession',
  setApiKey: 'ledgerline.setApiKey',
  selectModel: 'ledgerline.selectModel',
  useOfflineModel: 'ledgerline.useOfflineModel',
  openSession: 'ledgerline.openSession',
  fork: 'ledgerline.fork',
  exportSession: 'ledgerline.exportSession',
  openLog: 'ledgerline.openLog',
  inspectRequest: 'ledgerline.inspectRequest',
  diagnose: 'ledgerline.diagnose',
  showOutput: 'ledgerline.showOutput',
} as const;

/** A next action that is no command of VS Code: the conversation knows which process is meant. */
export const END_PROCESS = 'ledgerline.endProcess';

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
  'compaction.strategy': 'anyone',
} as const satisfies Record<SettingName, 'machine' | 'tighten' | 'anyone'>;

export const API_KEY_SECRET = 'ledgerline.apiKey';
/** In the workspace's memory: the session that was shown last. */
export const LAST_SESSION = 'ledgerline.lastSession';

export function settingId(name: SettingName): string {
  return `${SETTINGS_SECTION}.${name}`;
}
