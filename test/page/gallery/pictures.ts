import { mkdir, rm, writeFile } from 'node:fs/promises';
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
  /** Aborting ends the states under way, removes their folders, and takes no others. */
  readonly signal: AbortSignal;
}

export interface PicturesTaken {
  /** How many states are done. */
  readonly taken: number;
  /** What went wrong. */
  readonly faults: readonly string[];
}

/** Playwright would end the browser and this process at a signal, before the states are closed. */
const NO_SIGNALS = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

/** As many at once as keep a machine with two cores busy: most of the time of a state is waiting. */
const LANES = 3;

/** Writes every state in every theme and width, and one page that shows them all. */
export async function takePictures({ folder, groups, signal }: PicturesOptions): Promise<PicturesTaken> {
  const states = groups.flatMap((group) => group.states);
  await mkdir(folder, { recursive: true });
  await removeOldPictures(folder, states);
  const server = await startPageServer();
  try {
    const done = await takeStates({ server, folder, states, signal });
    if (!signal.aborted) await writeFile(path.join(folder, 'index.html'), contactSheet(groups));
    return done;
  } finally {
    await server.close();
  }
}

/** Removes only what this run writes again: the folder may hold other files. */
async function removeOldPictures(folder: string, states: readonly GalleryState[]): Promise<void> {
  const old = states.flatMap((state) => [
    failedName(state),
    ...LOOKS.map((look) => pictureName(state, look)),
  ]);
  await Promise.all(old.map((name) => rm(path.join(folder, name), { force: true })));
}

async function takeStates(options: {
  readonly server: PageServer;
  readonly folder: string;
  readonly states: readonly GalleryState[];
  readonly signal: AbortSignal;
}): Promise<PicturesTaken> {
  const { server, folder, states, signal } = options;
  const browser = await launchBrowser(NO_SIGNALS);
  // Whatever still waits for a page fails at once.
  const close = (): void => void browser.close().catch(() => undefined);
  signal.addEventListener('abort', close);
  const left = signal.aborted ? [] : [...states];
  const faults: string[] = [];
  let taken = 0;
  const lane = async (): Promise<void> => {
    const page = await browser.newPage();
    for (let state = left.shift(); state !== undefined && !signal.aborted; state = left.shift()) {
      say(`${states.length - left.length}/${states.length} ${state.name}`);
      try {
        await takeState({ server, page, folder, state });
        taken += 1;
      } catch (error) {
        if (!signal.aborted) faults.push(String(error));
      }
    }
  };
  try {
    // Every lane closes its stage before the browser goes.
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
    const broken = lanes.find(({ status }) => status === 'rejected');
    if (broken?.status === 'rejected' && !signal.aborted) throw broken.reason;
    return { taken, faults };
  } finally {
    signal.removeEventListener('abort', close);
    await browser.close();
  }
}

function failedName({ name }: GalleryState): string {
  return `${name}-failed.png`;
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
    // The browser may be what failed.
    await page.screenshot({ path: path.join(folder, failedName(state)) }).catch(() => undefined);
    throw new Error(`${state.name}: ${String(error)}`, { cause: error });
  } finally {
    await stage.close();
  }
}

/** The page of a state, once what it is named for is there. */
export async function drawn(page: Page, state: GalleryState): Promise<FrameLocator> {
  const inside = page.frameLocator('iframe');
  const { look, says } = state;
  const mark = inside.locator(look, says === undefined ? {} : { hasText: says });
  await mark.first().waitFor({ timeout: 15_000 });
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
