#!/usr/bin/env node
/** Plain JavaScript that any Node understands: it finds a runtime that is new enough, and the build. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST = 24;
const main = new URL('../dist/bundle/plaza.js', import.meta.url);

if (!existsSync(main)) fail('Plaza is not built yet: run `npm run build` first');
else if (Number.parseInt(process.versions.node, 10) >= OLDEST) await import(main.href);
else onPinnedNode();

/** The development dependency `node` is the runtime that Plaza is tested on. */
function onPinnedNode() {
  const node = pinnedNode();
  if (!node)
    return fail(
      `Plaza needs Node ${OLDEST} or newer, and this is ${process.version}: install it, or run \`npm ci\` without --omit=dev, which brings it`,
    );
  // The IPC channel tells the child when this process is killed.
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`Plaza could not start ${node}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function pinnedNode() {
  try {
    const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
    return existsSync(node) ? node : undefined;
  } catch {
    return undefined;
  }
}

function fail(line) {
  console.error(line);
  process.exitCode = 1;
}
