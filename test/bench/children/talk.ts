import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Conversation } from '../../../src/app/conversation.ts';
import { parseSettings, type Settings } from '../../../src/app/settings.ts';
import { withPlace } from '../place.ts';
import { Model } from './model-process.ts';
import { FILE } from './model-script.ts';

export interface Place {
  readonly workspace: string;
  readonly storage: string;
  readonly url: string;
}

const LINE = 'Notes that are read: one line of some sixty characters or so.\n';

/** A workspace, a storage and a model, for as long as something is measured. */
export function withModel<T>(work: (place: Place, model: Model) => Promise<T>): Promise<T> {
  return withPlace(async (folder) => {
    const model = await Model.start();
    const workspace = join(folder, 'workspace');
    await mkdir(workspace);
    await writeFile(join(workspace, FILE), LINE.repeat(40));
    const value = await work({ workspace, storage: join(folder, 'storage'), url: model.url }, model);
    await model.end();
    return value;
  });
}

/** A conversation whose presenter looks at nothing. */
export class Talk {
  private readonly conversation: Conversation;
  private sent = 0;

  constructor({ workspace, storage, url }: Place, session_id: string, atOnce = 1) {
    const settings = settingsFor(url, atOnce);
    this.conversation = new Conversation({
      storage,
      session_id,
      roots: [{ name: 'workspace', path: workspace }],
      settings: () => settings,
      api_key: async () => 'sk-bench',
      trusted: () => true,
      app_version: 'bench',
      app_root: null,
      home: null,
      logger: { info: () => undefined, warn: told, error: told },
      emit: () => undefined,
    });
  }

  ready(): Promise<void> {
    return this.conversation.receive({ type: 'ready' });
  }

  /** From the message until the turn is completed. */
  async turn(text: string): Promise<void> {
    const client_turn_id = `bench-${(this.sent += 1)}`;
    await this.conversation.receive({ type: 'send', client_turn_id, text });
    await this.conversation.settled();
    const state = this.conversation.stateOf(client_turn_id);
    if (state !== 'completed') throw new Error(`the turn is ${state}`);
  }

  /** Another session takes the place of the one that is open. */
  leave(): Promise<void> {
    return this.conversation.receive({ type: 'new_session' });
  }

  close(): Promise<void> {
    return this.conversation.dispose();
  }
}

/** More at once than a person can set is set past the check of settings. */
function settingsFor(baseUrl: string, atOnce: number): Settings {
  const parsed = parseSettings({ baseUrl, model: 'gpt-test', transport: 'sse' });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return { ...parsed.settings, 'subagents.maxRunning': atOnce };
}

function told(message: string): void {
  process.stderr.write(`${message}\n`);
}
