import { cp, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isErrorCode } from '../../../src/dev/cache-lock.mjs';
import { VSIX } from '../../../src/dev/project.mjs';
import { installExtension, startVsCodeServer } from '../../../src/dev/vscode-process.mjs';
import { ensureVsCodeServer, type VsCodeChoice, type VsCodeServer } from '../../../src/dev/vscode-server.mjs';
import { copyInstalledExtension } from './installed-extension.ts';
import { extensionHosts, killExtensionHosts } from './extension-hosts.ts';
import { collectLogs } from './server-logs.ts';
import { until } from '../../support/browser/until.ts';
import { count } from '../../support/browser/counts.ts';

const EXTENSION_ID = 'ledgerline.ledgerline';

export type Settings = Readonly<Record<string, unknown>>;

export type LaunchOptions = {
  /** A folder or a .code-workspace file; without it VS Code opens empty. */
  workspace?: string;
  settings?: Settings;
  /** False leaves workspace trust on: the folder opens in restricted mode until it is trusted. */
  trust?: boolean;
  env?: NodeJS.ProcessEnv;
  /** A data folder to go on with, which then is not removed; otherwise a fresh one. */
  dataDir?: string;
  /** The folder of another extension to install in place of the package; null for none at all. */
  extension?: string | null;
  /** `oldest` is the oldest that the manifest allows: it installs the package by itself, as a person's would. */
  vscode?: VsCodeChoice;
};

export type VsCode = {
  readonly url: string;
  /** It keeps the extension host of a page that left without a goodbye. */
  readonly keepsHosts: boolean;
  readonly port: number;
  readonly dataDir: string;
  /** The extension's workspace storage, once the extension has made it. */
  storageDir(): Promise<string>;
  /** Merges into the user's settings; a running workbench takes them over by itself. */
  updateSettings(settings: Settings): Promise<void>;
  /** Ends the extension host as a crash would; the workbench starts another. */
  killExtensionHost(): Promise<void>;
  /** The process ids of the extension hosts, one a window. */
  extensionHosts(): Promise<readonly number[]>;
  /** The last lines of what the server, the extension host and the extension logged. */
  logs(): Promise<string>;
  stop(): Promise<void>;
};

/** A word about what is pointed at opens over its neighbours, and keeps clicks from them for as long as the pointer rests. */
const NO_HOVER_MS = 600_000;

/** Calm and closed: nothing fetched, nothing asked, no second chat beside the one under test. */
const QUIET: Settings = {
  'workbench.hover.delay': NO_HOVER_MS,
  'workbench.hover.reducedDelay': NO_HOVER_MS,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'extensions.autoCheckUpdates': false,
  // In a browser VS Code saves by itself unless it is told not to.
  'files.autoSave': 'off',
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  'js/ts.tsserver.automaticTypeAcquisition.enabled': false,
  'json.schemaDownload.enable': false,
  'security.workspace.trust.startupPrompt': 'never',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
};

/** What there is to know of a server that runs, in this process or in another one. */
export interface ServerFacts {
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  readonly logFile: string;
}

export interface StartedServer extends ServerFacts {
  readonly stop: () => Promise<void>;
}

/**
 * A page that is left sometimes loses its goodbye. Its extension host would then wait hours for it to come back, with the
 * session open. The oldest VS Code has no option for that.
 */
const GRACE_SECONDS = 3;

type StartOptions = Pick<LaunchOptions, 'trust' | 'env' | 'dataDir' | 'extension' | 'vscode'>;

/** Starts a real VS Code with the packaged extension installed, on a free port of the loopback address. */
export async function startServer(options: StartOptions = {}): Promise<StartedServer> {
  const home = await mkdtemp(path.join(tmpdir(), 'ledgerline-vscode-'));
  try {
    return await startIn({ home, options });
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  }
}

async function startIn({ home, options }: { home: string; options: StartOptions }): Promise<StartedServer> {
  const server = await ensureVsCodeServer(options.vscode);
  const dataDir = options.dataDir ?? path.join(home, 'data');
  const extensionsDir = path.join(home, 'extensions');
  const { vscode, extension } = options;
  if (vscode === 'oldest' && extension === undefined)
    await installExtension({ server, vsix: VSIX, extensionsDir, dataDir });
  else await installInto({ server, extensionsDir, extension });
  // Whoever runs the tests has a folder of their own with their own skills in it: here it is an empty one.
  const person = path.join(home, 'person');
  await mkdir(person);
  const { port, pid, logFile, stop } = await startVsCodeServer({
    server,
    dataDir,
    extensionsDir,
    trust: options.trust ?? true,
    ...(vscode === 'oldest' ? {} : { graceSeconds: GRACE_SECONDS }),
    // The sockets it leaves behind when it is ended go with the folder. A shell in a terminal outlives the server for a
    // moment, and would write its history into a folder that is being removed.
    env: { XDG_RUNTIME_DIR: home, HOME: person, USERPROFILE: person, HISTFILE: '', ...options.env },
  });
  return {
    port,
    pid,
    dataDir,
    logFile,
    stop: async () => {
      await stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A VS Code of its own, with a profile in which nothing has happened yet. */
export async function launchVsCode(options: LaunchOptions = {}): Promise<VsCode> {
  const server = await startServer(options);
  try {
    await mergeSettings({ dataDir: server.dataDir, settings: { ...QUIET, ...options.settings } });
  } catch (error) {
    await server.stop();
    throw error;
  }
  const keepsHosts = options.vscode === 'oldest';
  return { ...openedAt(server, options.workspace), keepsHosts, stop: server.stop };
}

/** A folder in a VS Code that runs already. Its settings are these alone, whatever was set for the window before. */
export async function visitVsCode(server: ServerFacts, options: LaunchOptions): Promise<VsCode> {
  await writeSettings({ dataDir: server.dataDir, settings: { ...QUIET, ...options.settings } });
  const before = await storageFolders(server.dataDir);
  return {
    ...openedAt(server, options.workspace, before),
    keepsHosts: false,
    stop: async () => undefined,
  };
}

function openedAt(
  { port, pid, dataDir, logFile }: ServerFacts,
  workspace: string | undefined,
  before: readonly string[] = [],
): Omit<VsCode, 'stop' | 'keepsHosts'> {
  return {
    url: workbenchUrl({ port, workspace }),
    port,
    dataDir,
    storageDir: () => storageDir(dataDir, before),
    updateSettings: (settings) => mergeSettings({ dataDir, settings }),
    killExtensionHost: async () => {
      count('reloads');
      await killExtensionHosts(pid);
    },
    extensionHosts: () => extensionHosts(pid),
    logs: () => collectLogs({ dataDir, serverLog: logFile }),
  };
}

async function installInto(options: {
  server: VsCodeServer;
  extensionsDir: string;
  extension: string | null | undefined;
}): Promise<void> {
  const { server, extensionsDir, extension } = options;
  if (extension === undefined) return copyInstalledExtension({ server, extensionsDir });
  await mkdir(extensionsDir, { recursive: true });
  if (extension !== null)
    await cp(extension, path.join(extensionsDir, path.basename(extension)), { recursive: true });
}

function workbenchUrl({ port, workspace }: { port: number; workspace: string | undefined }): string {
  const url = new URL(`http://localhost:${port}/`);
  if (workspace === undefined) url.searchParams.set('ew', 'true');
  else url.searchParams.set(workspace.endsWith('.code-workspace') ? 'workspace' : 'folder', workspace);
  return url.href;
}

async function storageDir(dataDir: string, before: readonly string[]): Promise<string> {
  return until({
    what: `a folder ${EXTENSION_ID} of this workspace`,
    probe: async () => {
      const found = (await storageFolders(dataDir)).filter((folder) => !before.includes(folder));
      if (found.length > 1) throw new Error(`more than one workspace has storage: ${found.join(', ')}`);
      return found[0];
    },
  });
}

function storageFolders(dataDir: string): Promise<string[]> {
  return foldersWith({ parent: path.join(dataDir, 'data', 'User', 'workspaceStorage'), name: EXTENSION_ID });
}

async function foldersWith({ parent, name }: { parent: string; name: string }): Promise<string[]> {
  const found: string[] = [];
  for (const workspace of await listing(parent)) {
    if ((await listing(path.join(parent, workspace))).includes(name)) {
      found.push(path.join(parent, workspace, name));
    }
  }
  return found;
}

async function listing(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isErrorCode(error, 'ENOENT') || isErrorCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

/**
 * VS Code keeps two files: the person's own, whose machine-scoped values a remote window does not reliably
 * take, and the machine's, which knows no application-scoped ones. The extension under test has both kinds.
 */
async function mergeSettings({ dataDir, settings }: Given): Promise<void> {
  for (const { file, own } of filesOf({ dataDir, settings }))
    await writeSettingsFile(file, { ...(await readSettings(file)), ...own });
}

/** What was set before is gone. */
async function writeSettings(given: Given): Promise<void> {
  for (const { file, own } of filesOf(given)) await writeSettingsFile(file, own);
}

interface Given {
  readonly dataDir: string;
  readonly settings: Settings;
}

function filesOf({ dataDir, settings }: Given): readonly { readonly file: string; readonly own: Settings }[] {
  const ours = Object.entries(settings).filter(([name]) => name.startsWith('ledgerline.'));
  return [
    { file: path.join(dataDir, 'data', 'User', 'settings.json'), own: settings },
    { file: path.join(dataDir, 'data', 'Machine', 'settings.json'), own: Object.fromEntries(ours) },
  ];
}

async function writeSettingsFile(file: string, settings: Settings): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  // By rename: the workbench watches the file and must never read half of it.
  await writeFile(`${file}.new`, JSON.stringify(settings, undefined, 2));
  await rename(`${file}.new`, file);
}

async function readSettings(file: string): Promise<Settings> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return {};
    throw error;
  }
}
