export { changeTheme, COLOR_THEMES, type ColorTheme, inEachTheme } from './color-theme.ts';
export { printEvidenceOnFailure } from './failure-evidence.ts';
export { chooseFrom, chooseFromOpened, openMenu } from './menus.ts';
export {
  COMMANDS_KEY,
  FILES_KEY,
  quickInputBox,
  quickInputRows,
  takeFromQuickInput,
  typeInQuickInput,
} from './quick-input.ts';
export { endGroup, isGroupRunning } from './process-groups.ts';
export { appears, disappears, until } from './until.ts';
export { HOVERS, type LaunchOptions, type Settings, type VsCode, launchVsCode } from './vscode.ts';
export {
  chatFrame,
  evidence,
  launchBrowser,
  leaveWorkbench,
  openLedgerline,
  openWorkbench,
  reloadWorkbench,
  screenshot,
  type WorkbenchOptions,
} from './workbench.ts';
