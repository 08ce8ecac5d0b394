import { until } from '../../support/browser/until.ts';
import type { Settings, VsCode } from './vscode.ts';

const AGAIN_MS = 2000;

/**
 * Changes settings of a window that is open, until it is seen that they count: VS Code does not notice each change of
 * their file, so it is written again.
 */
export async function changeSettings(
  vscode: VsCode,
  settings: Settings,
  isSeen: () => Promise<boolean>,
): Promise<void> {
  let written = Number.NEGATIVE_INFINITY;
  await until({
    what: `the settings ${JSON.stringify(settings)} to be noticed`,
    timeoutMs: 30_000,
    probe: async () => {
      if (performance.now() - written >= AGAIN_MS) {
        await vscode.updateSettings(settings);
        written = performance.now();
      }
      return (await isSeen()) || undefined;
    },
  });
}
