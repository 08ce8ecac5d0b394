import type { Logger } from '../app/conversation-options.ts';
import type { Terminal } from './terminal.ts';

/** Standard output is for the protocol: what is worth a line for people goes to the other one. */
export function terminalLogger({ stderr }: Terminal): Logger {
  const log = (level: string, message: string): void => {
    stderr.write(`${new Date().toISOString()} ${level} ${message}\n`);
  };
  return {
    info: (message) => log('info', message),
    warn: (message) => log('warn', message),
    error: (message) => log('error', message),
  };
}
