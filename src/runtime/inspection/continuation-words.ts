import { nameInWords } from './log-names.ts';
import { sentence, type Sentence, type Words } from './spoken-words.ts';

/** Why a request did not continue another; a reason of a later version without its underscores. */
export function resetWords(reason: string): Words {
  return RESETS.get(reason) ?? nameInWords(reason);
}

const RESETS: ReadonlyMap<string, Sentence> = new Map([
  ['no_previous_response', sentence('there was no response to continue')],
  ['new_connection', sentence('the connection was a new one')],
  ['endpoint_changed', sentence('another endpoint')],
  ['model_changed', sentence('another model')],
  ['instructions_changed', sentence('other instructions')],
  ['tools_changed', sentence('other tools')],
  ['settings_changed', sentence('other settings')],
  ['input_changed', sentence('the input did not extend the last one')],
  ['output_not_replayed', sentence('the last answer held something that is not sent back as it came')],
  ['previous_response_failed', sentence('the last response did not complete')],
  ['previous_response_not_found', sentence('the provider did not have the last response any more')],
  ['unanswered', sentence('it was not answered')],
  ['socket_busy', sentence('another response was under way')],
  ['fell_back_to_sse', sentence('it went out over HTTP instead')],
]);
