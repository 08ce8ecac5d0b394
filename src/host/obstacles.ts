import type { HostMessage } from '../presenter/protocol.ts';
import { errorFacts } from '../runtime/provider-errors.ts';
import { COMMANDS } from './contribution-ids.ts';
import { settingsAction, type HostOptions } from './host-conversation.ts';
import { hostSettings } from './host-settings.ts';

/** What the person should know before the first message: settings that do not count, and a missing key. */
export async function* obstacles({
  choices,
  apiKey,
  log,
}: Pick<HostOptions, 'choices' | 'apiKey' | 'log'>): AsyncGenerator<HostMessage> {
  const { settings, problems } = hostSettings(choices);
  for (const problem of problems) {
    const { message } = problem;
    log.warn(message);
    yield { v: 1, type: 'notice', level: 'warning', message, next_actions: [settingsAction(problem)] };
  }
  if (settings.provider === 'offline' || (await apiKey.read()) !== null) return;
  const { sentence, next_actions } = errorFacts('missing_key');
  yield {
    v: 1,
    type: 'failure',
    for: 'ready',
    kind: 'missing_key',
    message: sentence,
    // Nothing has failed yet that could be tried again.
    next_actions: next_actions.filter(({ command }) => command !== COMMANDS.retryTurn),
  };
}
