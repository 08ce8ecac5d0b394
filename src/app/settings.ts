import * as z from 'zod/mini';
import { EXPECTATIONS } from './setting-expectations.ts';

/** The settings of §13 by their names without the `ledgerline.` prefix, with their defaults. */

const rules = z._default(z.array(z.string()), []);

export const SETTINGS = {
  provider: z._default(z.enum(['openai', 'offline']), 'openai'),
  baseUrl: z._default(z.url({ protocol: /^https?$/ }), 'https://api.openai.com/v1'),
  model: z._default(z.string().check(z.minLength(1), z.maxLength(200)), 'gpt-5.4'),
  reasoningEffort: z._default(
    z.enum(['default', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh']),
    'medium',
  ),
  contextWindow: z._default(z.nullable(z.int().check(z.positive())), null),
  transport: z._default(z.enum(['auto', 'sse', 'websocket']), 'auto'),
  permissionMode: z._default(z.enum(['read_only', 'ask', 'auto']), 'ask'),
  permissions: z._default(z.strictObject({ allow: rules, ask: rules, deny: rules }), {
    allow: [],
    ask: [],
    deny: [],
  }),
  'approvals.batch': z._default(z.boolean(), false),
  turnTimeout: z._default(z.number().check(z.positive(), z.maximum(86_400)), 600),
  streamIdleTimeout: z._default(z.number().check(z.positive(), z.maximum(86_400)), 180),
  maxRounds: z._default(z.int().check(z.minimum(1), z.maximum(1000)), 50),
  tokenBudget: z._default(z.int().check(z.minimum(0)), 0),
  'subagents.maxRunning': z._default(z.int().check(z.minimum(1), z.maximum(64)), 6),
  'subagents.maxDepth': z._default(z.int().check(z.minimum(1), z.maximum(4)), 1),
  'subagents.timeout': z._default(z.number().check(z.positive(), z.maximum(86_400)), 600),
  'compaction.strategy': z._default(z.enum(['deterministic_v1', 'model_assisted_v1']), 'deterministic_v1'),
  notifications: z._default(z.enum(['decisions', 'all', 'off']), 'decisions'),
  'retention.archiveAfterDays': z._default(z.int().check(z.minimum(0), z.maximum(36_500)), 0),
  'retention.trashDays': z._default(z.int().check(z.minimum(0), z.maximum(36_500)), 0),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type Settings = { readonly [K in SettingName]: z.infer<(typeof SETTINGS)[K]> };

const schema = z.strictObject(SETTINGS);

export type ParsedSettings =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Every mistake at once, each with the name of its setting and what it has to be. */
export function parseSettings(values: Readonly<Record<string, unknown>>): ParsedSettings {
  const parsed = schema.safeParse(values);
  if (parsed.success) return { ok: true, settings: parsed.data };
  const names = new Set(parsed.error.issues.map(({ path }) => String(path[0] ?? '')));
  const wrong = [...names].filter(isSettingName).map((name) => `${name} is not valid. ${EXPECTATIONS[name]}`);
  const unknown = Object.keys(values).filter((name) => !isSettingName(name));
  return { ok: false, problems: [...wrong, ...unknown.map((name) => `unknown setting: ${name}`)] };
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}
