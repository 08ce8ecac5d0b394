import { describe, expect, it } from 'vitest';
import type { PermissionMode } from '../../../src/runtime/events.ts';
import {
  LAYER_0,
  PROMPT_CONTRACT_VERSION,
  promptCacheKey,
  promptSurface,
  sessionFamilyHash,
  type CacheFamily,
} from '../../../src/runtime/prompt/contract.ts';
import { skillIndex } from '../../../src/runtime/prompt/skill-index.ts';
import {
  branchItem,
  checkpointItem,
  developerItem,
  errorOutput,
  interruptionItem,
  PENDING_OUTPUT,
  skillItem,
  subagentItem,
  userItem,
} from '../../../src/runtime/replay/labels.ts';
import { oneOfEach } from '../../support/made-events.ts';
import { message, responds } from '../../support/scripted-provider.ts';
import { HASHER, SessionBench } from '../../support/session-bench.ts';
import { toolBox, TOOLS } from '../../support/tool-stubs.ts';

const MUST_BUMP =
  'These bytes are the prompt contract: bump PROMPT_CONTRACT_VERSION, then pin the new ones here.';

const { developer_context, interruption_note, skill_activation, history_compaction } = oneOfEach();
const { branch_summary, subagent_event } = oneOfEach();

const REVIEW = {
  name: 'review',
  description: 'Reviews code.',
  when_to_use: 'Before a merge.',
  origin: 'workspace',
} as const;

/** Every word that Ledgerline itself puts into a request, rendered from fixed facts. */
const BYTES: Readonly<Record<string, unknown>> = {
  layer_0: LAYER_0,
  skills: promptSurface([], skillIndex([REVIEW]).text, HASHER).instructions,
  developer: developerItem(developer_context.data),
  developer_without_folder: developerItem({ workspace: null, branch: null, permission_mode: 'read_only' }),
  user: userItem('hello', [
    { kind: 'image', data: 'AAAA' },
    { kind: 'file', path: 'a.ts', text: 'a' },
  ]),
  interruption: interruptionItem(interruption_note.data),
  interruption_without_text: interruptionItem({
    ...interruption_note.data,
    excerpt: '',
    completed_calls: [],
  }),
  skill: skillItem(skill_activation.data),
  checkpoint: checkpointItem(history_compaction.data),
  branch: branchItem(branch_summary.data),
  subagent: subagentItem(subagent_event.data),
  pending: PENDING_OUTPUT,
  error: errorOutput({ kind: 'denied', message: 'No.' }, 'out'),
  error_without_words: errorOutput(undefined, undefined),
};

/** sha256 of each, as JSON. */
const PINNED = {
  branch: '6df4177e829b98c198008eab6782fea28e0c51860ae4eda09d692c227cea28f4',
  checkpoint: 'e364fc75e36c26801aeab3f18ddddf484efafb998749429800fc6515982e5769',
  developer: 'f8a52caccdba2a97ef7f08fb676528071c80ff31fbcebdf1757505b103c02dff',
  developer_without_folder: '66d80f91cb80641f0fdf14a5f3126f03ff0b7ed22773d5d682c931959f3718b8',
  error: '1df50cf90ee242bfd6c27a7c8c949501a376f59fd8d94e52519293f5ea1e8701',
  error_without_words: 'f10f35fafa4cb4fd8232ab1aab12a0975e2ae52f71664880b8589d9aee936592',
  interruption: 'd003241bf6ed7c04eaaac8c61371e2f57bcb0cedfda64505336de5eca37ef056',
  interruption_without_text: '1db19cdf82ab63cf9cd18a273bd9894640ac87438fcce3236b574e14c4f27259',
  layer_0: '4436d648d5c084c5a5ddcf0fdc2ebb133eab5f6c792d15ec9f3d0c53dd542a08',
  pending: '737824700f91d959956cf1d377a32a870b3b8a101625c84cd49c7a8bba05ee3e',
  skill: '119f96f8342c3fa55c2ce9d577197dea1aab7ae61eb9e5f13fa8099e0f074b3c',
  skills: 'cbabae81fe71baeac78973fa0f5d6a24daee68b3aac2fcdddec631917e9b9211',
  subagent: '9f6670dc3d1290f0add0b7ee3d65cb7e86e545b08e1363262c1122641105804d',
  user: 'bbc5c3e7755f0c9d337c4008b556b5609a6f87add87604d9f9f624fa5888699c',
};

describe('the prompt contract', () => {
  it('is version ll1', () => {
    expect(PROMPT_CONTRACT_VERSION).toBe('ll1');
  });

  it('is byte for byte what it was when its version was set', () => {
    const hashes = Object.entries(BYTES).map(([name, value]) => [name, HASHER.sha256(JSON.stringify(value))]);
    expect(Object.fromEntries(hashes), MUST_BUMP).toEqual(PINNED);
  });

  it('says the same in every session: no path, no mode, no date, no name', () => {
    expect(LAYER_0).not.toMatch(/\/home|\/Users|[A-Z]:\\|20\d\d|read_only|\bauto\b/);
  });

  it('lists tools by name, whatever their order, and gives the same hash for the same tools', () => {
    const { specs } = toolBox(TOOLS);
    const one = promptSurface(specs, '', HASHER);
    const other = promptSurface(specs.toReversed(), '', HASHER);
    expect(other).toEqual(one);
    expect(one.tools.map(({ name }) => name)).toEqual(['read', 'run', 'write']);
  });

  it('has another toolset hash when a name, a description or a schema changes, and only then', () => {
    const { specs } = toolBox(TOOLS);
    const hash = (change: object): string =>
      promptSurface([{ ...specs[0]!, ...change }, ...specs.slice(1)], '', HASHER).toolset_hash;
    const same = hash({});
    expect(hash({ effect: 'write' })).toBe(same);
    const changed = [hash({ name: 'x' }), hash({ description: 'x' }), hash({ parameters: { x: 1 } })];
    expect(new Set([same, ...changed]).size).toBe(4);
  });
});

const FAMILY: CacheFamily = {
  model: 'gpt-test',
  mode: 'ask',
  fork_root_session_id: 'session-of-jane-doe',
  toolset_hash: '12345678',
  skill_index_hash: '87654321',
};

describe('the prompt cache key', () => {
  it('has the shape of the contract', () => {
    expect(promptCacheKey(FAMILY, HASHER)).toMatch(
      /^ll1:m_[0-9a-f]{8}:r_ask:s_[0-9a-f]{8}:t_12345678:k_87654321$/,
    );
  });

  it('is at most 64 bytes in every mode, however long the names are', () => {
    const modes: readonly PermissionMode[] = ['read_only', 'ask', 'auto'];
    const long = { model: 'm'.repeat(500), fork_root_session_id: 's'.repeat(500) };
    const lengths = modes.map((mode) =>
      Buffer.byteLength(promptCacheKey({ ...FAMILY, ...long, mode }, HASHER)),
    );
    expect(Math.max(...lengths)).toBeLessThanOrEqual(64);
  });

  it('changes with the model, the mode, the root, the tools and the skills', () => {
    const changes: readonly Partial<CacheFamily>[] = [
      {},
      { model: 'gpt-other' },
      { mode: 'auto' },
      { fork_root_session_id: 'another' },
      { toolset_hash: 'ffffffff' },
      { skill_index_hash: 'ffffffff' },
    ];
    const keys = changes.map((change) => promptCacheKey({ ...FAMILY, ...change }, HASHER));
    expect(new Set(keys).size).toBe(changes.length);
  });

  it('holds no personal data: only hashes of the names it is made of', () => {
    const key = promptCacheKey(FAMILY, HASHER);
    for (const name of ['jane', 'doe', 'session', 'gpt']) expect(key).not.toContain(name);
  });

  it('is the same for a fork as for its root', async () => {
    const root = new SessionBench({ scripts: [responds(message('Hi.'))] });
    await root.run('Hello.');
    const fork = new SessionBench({ scripts: [responds(message('Hi.'))] });
    await fork.session.note([
      {
        type: 'session_fork',
        data: {
          parent_session_id: 's0',
          fork_root_session_id: 's1',
          forked_to_seq: 1,
          replay_event_count: 1,
        },
      },
    ]);
    await fork.run('Hello.');
    const keys = [root, fork].map((bench) => bench.only('provider_usage').prompt_cache_key);
    expect(keys[1]).toBe(keys[0]);
    expect(root.provider.requests[0]?.prompt_cache_key).toBe(keys[0]);
    expect(root.only('provider_usage').session_family_hash).toBe(sessionFamilyHash('s1', HASHER));
  });
});
