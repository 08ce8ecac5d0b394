import type { SettingName } from './settings.ts';

/** What a setting has to be, for someone who got it wrong. Fixed sentences: the edge translates them by their text. */
export const EXPECTATIONS = {
  provider: 'It must be "openai" or "offline".',
  baseUrl: 'It must be an address that begins with http:// or https://.',
  model: 'It must be the name of a model, of at most 200 characters.',
  reasoningEffort: 'It must be "default", "none", "minimal", "low", "medium", "high" or "xhigh".',
  contextWindow: 'It must be a whole number of tokens above 0, or null.',
  transport: 'It must be "auto", "sse" or "websocket".',
  permissionMode: 'It must be "read_only", "ask" or "auto".',
  permissions:
    'It must be an object with no other names than "allow", "ask" and "deny", each a list of rules such as "run_command(npm test*)".',
  'approvals.batch': 'It must be true or false.',
  turnTimeout: 'It must be a number of seconds above 0, at most 86400.',
  streamIdleTimeout: 'It must be a number of seconds above 0, at most 86400.',
  maxRounds: 'It must be a whole number from 1 to 1000.',
  tokenBudget: 'It must be a whole number of tokens, or 0 for no limit.',
  'subagents.maxRunning': 'It must be a whole number from 1 to 64.',
  'subagents.maxDepth': 'It must be a whole number from 1 to 4.',
  'subagents.timeout': 'It must be a number of seconds above 0, at most 86400.',
  'compaction.strategy': 'It must be "deterministic_v1" or "model_assisted_v1".',
  notifications: 'It must be "decisions", "all" or "off".',
  'retention.archiveAfterDays': 'It must be a whole number of days from 0, which means never, to 36500.',
  'retention.trashDays': 'It must be a whole number of days from 0, which means never, to 36500.',
} as const satisfies Record<SettingName, string>;
