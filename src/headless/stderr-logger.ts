import type { Logger } from '../app/conversation-options.ts';

/** Standard output is for the protocol: what is worth a line for people goes here. */
export const stderrLogger: Logger = {
  info: (message) => log('info', message),
  warn: (message) => log('warn', message),
  error: (message) => log('error', message),
};

function log(level: string, message: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} ${message}\n`);
}
