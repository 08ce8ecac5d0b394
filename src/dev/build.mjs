// @ts-check
// npm run build [-- --watch] [-- --meta]
import { buildBundles, watchBundles } from './bundles.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { runMain, say, seconds } from './progress.mjs';

await runMain(async () => {
  const flags = new Set(process.argv.slice(2));
  await ensureDependencies();
  if (flags.has('--watch')) {
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort());
    process.once('SIGTERM', () => stop.abort());
    await watchBundles({ signal: stop.signal });
    return 0;
  }
  const started = performance.now();
  const { bytes } = await buildBundles({ mode: 'production', meta: flags.has('--meta') });
  say(`Built dist/: ${Math.round(bytes / 1024)} KiB in ${seconds(performance.now() - started)}`);
  return 0;
});
