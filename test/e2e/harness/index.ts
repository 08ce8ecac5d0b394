export { launchBrowser } from '../../support/browser/chromium.ts';
export { screenshot } from '../../support/browser/screenshot.ts';
export { changeTheme, COLOR_THEMES, type ColorTheme, inEachTheme } from './color-theme.ts';
export { changeSettings } from './settings-change.ts';
export { printEvidenceOnFailure } from './failure-evidence.ts';
export { chooseFromOpened, openMenu } from './menus.ts';
export { answerToast, clearToast, notification, notifications, toast } from './notifications.ts';
export {
  chooseFromQuickInput,
  COMMANDS_KEY,
  FILES_KEY,
  quickInputBox,
  quickInputRows,
  takeFromQuickInput,
  typeInQuickInput,
} from './quick-input.ts';
export { endGroup, isGroupRunning } from './process-groups.ts';
export { appears, disappears, inTime, until } from '../../support/browser/until.ts';
export { sharedProfile } from './browser-profile.ts';
export { type LaunchOptions, type Settings, type VsCode, launchVsCode, visitVsCode } from './vscode.ts';
export {
  chatFrame,
  evidence,
  leaveWorkbench,
  openLedgerline,
  openWorkbench,
  openWorkbenchIn,
  reloadWorkbench,
  returnToWorkbench,
  type WorkbenchOptions,
} from './workbench.ts';
