import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { say } from '../../../src/dev/progress.mjs';
import { launchBrowser } from '../../support/browser/chromium.ts';
import { THEMES, type ColorTheme } from '../../support/browser/color-themes.ts';
import { type PageServer, startPageServer } from '../bridge/server.ts';
import { contactSheet, pictureName } from './contact-sheet.ts';
import type { GalleryGroup, GalleryState } from './gallery-state.ts';
import { HEIGHT, LOOKS, WIDTHS } from './looks.ts';
import { Stage } from './stage.ts';

export interface PicturesOptions {
  readonly folder: string;
  readonly groups: readonly GalleryGroup[];
  /** Called off, it takes no more of them, and removes what it made for those under way. */
  readonly signal: AbortSignal;
}

/** As many at once as keep a machine with two cores busy: most of the time of a state is waiting. */
const LANES = 3;

/** Writes every state in every theme and width, and one page that shows them all. Answers with what went wrong. */
export async function takePictures({ folder, groups, signal }: PicturesOptions): Promise<readonly string[]> {
  const states = groups.flatMap((group) => group.states);
  await mkdir(folder, { recursive: true });
  await removeOldPictures(folder);
  const [server, browser] = await Promise.all([startPageServer(), launchBrowser()]);
  const faults: string[] = [];
  try {
    const left = [...states];
    const lane = async (): Promise<void> => {
      const page = await browser.newPage();
      for (let state = left.shift(); state !== undefined && !signal.aborted; state = left.shift()) {
        say(`${states.length - left.length}/${states.length} ${state.name}`);
        try {
          await takeState({ server, page, folder, state });
        } catch (error) {
          faults.push(String(error));
        }
      }
      await page.close();
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    await browser.close();
    await server.close();
  }
  await writeFile(path.join(folder, 'index.html'), contactSheet(groups));
  return faults;
}

/** Only pictures: the folder may be anybody's. */
async function removeOldPictures(folder: string): Promise<void> {
  const endings = ['-failed.png', ...LOOKS.map(({ theme, width }) => `-${theme}-${width}.png`)];
  const old = (await readdir(folder)).filter((name) => endings.some((ending) => name.endsWith(ending)));
  await Promise.all(old.map((name) => rm(path.join(folder, name))));
}

/** One window serves all looks of a state: its page is only painted anew and made wider. */
async function takeState(options: {
  readonly server: PageServer;
  readonly page: Page;
  readonly folder: string;
  readonly state: GalleryState;
}): Promise<void> {
  const { server, page, folder, state } = options;
  const stage = await Stage.open(server, state, 'dark');
  try {
    const { height = HEIGHT } = state;
    await page.setViewportSize({ width: WIDTHS[0], height });
    await page.goto(stage.url);
    const inside = await drawn(page, state);
    for (const look of LOOKS) {
      stage.window.setTheme(look.theme);
      await painted(inside, look.theme);
      await page.setViewportSize({ width: look.width, height });
      await settled(page);
      await page.screenshot({ path: path.join(folder, pictureName(state, look)) });
    }
  } catch (error) {
    await page.screenshot({ path: path.join(folder, `${state.name}-failed.png`) });
    throw new Error(`${state.name}: ${String(error)}`, { cause: error });
  } finally {
    await page.goto('about:blank');
    await stage.close();
  }
}

/** The page of a state, once what it is named for is there. */
export async function drawn(page: Page, state: GalleryState): Promise<FrameLocator> {
  const inside = page.frameLocator('iframe');
  await inside.locator(state.look).first().waitFor({ timeout: 15_000 });
  return inside;
}

async function painted(inside: FrameLocator, theme: ColorTheme): Promise<void> {
  await inside.locator(`body[data-vscode-theme-kind="${THEMES[theme].kind}"]`).waitFor();
}

/** Fonts are there, and what was asked for is drawn. */
async function settled(page: Page): Promise<void> {
  for (const frame of page.frames())
    await frame.evaluate(async () => {
      await document.fonts.ready;
      for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
    });
}
