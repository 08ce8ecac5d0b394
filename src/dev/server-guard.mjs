// @ts-check
// Runs a program in this process's group and ends the whole group when standard input closes, which happens
// whenever the process that started this one is gone, however it went. A crashed test run leaves no server.
import { spawn } from 'node:child_process';

const child = spawn(process.execPath, process.argv.slice(2), { stdio: ['ignore', 'inherit', 'inherit'] });
child.once('exit', (code) => process.exit(code ?? 1));
process.stdin.resume();
process.stdin.once('close', () => {
  child.kill('SIGKILL');
  // The group is led by this process; on Windows there are no groups, and the server's children follow it.
  if (process.platform !== 'win32') process.kill(-process.pid, 'SIGKILL');
  process.exit(1);
});
