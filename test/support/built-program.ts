import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Makes one file of a module and of all that it imports, which Node then runs as a program of its own. */
export async function builtProgram(source: URL, program: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'error',
  });
}
