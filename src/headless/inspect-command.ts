import { resolve } from 'node:path';
import { diagnoseSession, inspectRequest } from '../app/inspect.ts';
import type { Command } from './arguments.ts';
import type { Terminal } from './terminal.ts';

/** Prints one JSON document about a session; changes nothing. */
export async function inspect(
  command: Extract<Command, { kind: 'diagnose' | 'replay' }>,
  { stdout, stderr }: Terminal,
): Promise<number> {
  const print = (document: unknown): void => {
    stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  };
  const storage = resolve(command.storage);
  const { session_id } = command;
  switch (command.kind) {
    case 'diagnose':
      print(await diagnoseSession(storage, session_id));
      return 0;
    case 'replay': {
      const report = await inspectRequest(storage, session_id, command.at);
      const { last_seq } = report;
      if (command.at !== null && command.at > last_seq) {
        const end = last_seq < 0 ? 'the log is empty' : `the last seq of the log is ${last_seq}`;
        stderr.write(`ledgerline: --at ${command.at} is beyond the end: ${end}\n`);
        return 64;
      }
      print(report);
      return 0;
    }
  }
}
