import { apiError, events, HANG, stream } from '../../support/responses-server/reply.ts';
import type { Said } from '../../support/responses-server/answering.ts';
import { unfinishedEvents, type Answer } from '../../support/responses-server/response-events.ts';
import { LOGIN } from '../scenes/appearance-scenes.ts';

/** The small project that the pictures are about, and what a model says and asks for in it. */

export const FILES: Readonly<Record<string, string>> = {
  [LOGIN.path]: LOGIN.content,
  'src/session/client.ts':
    'export function createClient(options: object): Client {\n  return new Client(options);\n}\n',
  'test/login.test.js':
    "console.log('ok 1 - login');\nconsole.log('not ok 2 - login on a Monday');\nprocess.exit(1);\n",
  'test/logout.test.js': "console.log('ok 1 - logout');\n",
  'docs/clock.md': '# The clock\n\nIt is the one of the machine.\n',
};

export const AUTO = { 'ledgerline.permissionMode': 'auto' } as const;

export type Call = NonNullable<Answer['calls']>[number];

let made = 0;

function call(name: string, args: object): Call {
  made += 1;
  return { call_id: `call_${made}`, name, args };
}

export function reads(path: string): Call {
  return call('read_file', { path, start_line: null, end_line: null });
}

export function searches(pattern: string): Call {
  return call('search_text', { pattern, path: null, glob: null, regex: null });
}

export function runs(command: string): Call {
  return call('run_command', { command, timeout_s: null });
}

export function writes(path: string, content: string): Call {
  return call('write_file', { path, content });
}

export function edits(path: string, old_text: string, new_text: string): Call {
  return call('edit_file', { path, old_text, new_text, replace_all: null });
}

export function asksUser(question: string, schema: object | null = null): Call {
  return call('ask_user', { question, schema });
}

export function spawns(task: string, agent = 'explorer'): Call {
  return call('spawn_agent', { task, agent, timeout_ms: null });
}

export function waitsForAgents(): Call {
  return call('wait_agent', { ids: null, timeout_ms: null });
}

export function runsWorkflow(workflow: object): Call {
  return call('run_workflow', { workflow });
}

export function plans(...steps: readonly (readonly [step: string, status: string])[]): Call {
  return call('update_plan', { steps: steps.map(([step, status]) => ({ step, status })) });
}

/** What the child of a step says: its report, and its last words. */
export function reports(status: string, summary: string): readonly Said[] {
  const args = { status, summary, limitations: null, verification: null, artifacts: null };
  return [{ calls: [call('report_checkpoint', args)] }, { text: summary }];
}

export const FIX_CLOCK = edits(
  LOGIN.path,
  '  const started = Date.now();\n',
  '  // The clock of the test, where there is one.\n  const started = clock.now();\n',
);

/** As a provider counts: so much of the window that the settings give. */
export function usage(input: number, cached = Math.round(input * 0.91)): NonNullable<Answer['usage']> {
  return { input, cached, output: 214, reasoning: 64 };
}

/** An answer that is begun, and does not go on. */
export function begins(text: string, reasoning?: string): Said {
  const unfinished = unfinishedEvents({
    ...(reasoning === undefined ? {} : { reasoning: { summary: [reasoning] } }),
    text: [text, 'never sent'],
  });
  const last = unfinished.findLastIndex(({ type }) => type === 'response.output_text.delta');
  return stream([events(unfinished.slice(0, last)), HANG]);
}

/** The connection breaks before the answer is whole. */
export function breaksOff(text: string): Said {
  return stream([events(unfinishedEvents({ text }))]);
}

/** Nothing at all is said. */
export const SILENCE: Said = { kind: 'silence' };

export const REFUSED_KEY: Said = apiError(401, {
  message: 'Incorrect API key provided.',
  code: 'invalid_api_key',
});
