/** `npm run dev`: runs the network, and after every change of the source builds and starts it again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
/** An editor or a checkout writes several files; a change is complete when nothing has followed for this long. */
const QUIET_MS = 200;

// Stack traces then name lines of the source. That makes a start a third slower.
const env = { ...process.env, NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --enable-source-maps` };

// The IPC channel tells the child when this process is killed.
const run = (...args) =>
  spawn(process.execPath, args, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] }).on(
    'error',
    complain,
  );
let network;
let quiet;
let watchers = [];
let work = reload().catch(complain);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => {
    clearTimeout(quiet);
    work = work.then(stop).then(() => process.exit(0));
  });

async function reload() {
  watchFolders();
  await stop();
  if (await isBuilt()) network = run(path('bin/plaza.mjs'), 'start');
  else console.error('The build failed; the next change tries again.');
  // A Node that is too old is said once, and not at each build.
  delete env['npm_config_user_agent'];
}

async function isBuilt() {
  try {
    const [code] = await once(run(path('bin/build.mjs')), 'exit');
    return code === 0;
  } catch {
    return false; // It could not even be started, which has been said.
  }
}

/**
 * Watches each folder by itself, also those that are new since. Node's own recursive watch watches files on Linux, and loses
 * one that an editor or a checkout replaces. Of `docs`, the build reads the guide alone. The new watchers begin before the
 * build reads, so it misses no change.
 */
function watchFolders() {
  const before = watchers;
  watchers = ['src', 'projections', 'packages/event-store/src']
    .flatMap((folder) => foldersIn(path(folder)))
    .map((folder) => watch(folder, changed));
  watchers.push(watch(path('docs'), (event, file) => file === 'applications.md' && changed(event, file)));
  for (const watcher of watchers) watcher.on('error', complain);
  for (const watcher of before) watcher.close();
}

function foldersIn(folder) {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...folders.flatMap(({ name }) => foldersIn(join(folder, name)))];
}

function changed(_event, file) {
  if (file?.endsWith('.spec.ts')) return;
  clearTimeout(quiet);
  quiet = setTimeout(() => {
    work = work.then(reload).catch(complain);
  }, QUIET_MS);
}

/** It goes on: the next change may find things better. */
function complain(error) {
  console.error(error.message);
}

async function stop() {
  if (!network || network.exitCode !== null || network.signalCode !== null) return;
  // One that could not be started has no end to wait for.
  if (network.kill('SIGTERM')) await once(network, 'exit');
}
