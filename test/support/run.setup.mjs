/** Jest's globalSetup: makes a directory for the files of a run, which is removed with the run, even a killed one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { newDataDir } from './data-dir.ts';

/**
 * Waits for the end of its input, then stops the networks and servers of a directory and removes it. Another process may
 * have got the id of a killed one, and ending processes may still write: both are handled.
 */
const REMOVER = `
runs() {
  { tr '\\0' ' ' < "/proc/$1/cmdline" || ps -ww -o args= -p "$1"; } | grep -q "$2"
}
read -r line
for run in "$1"/*/run.json; do
  [ -e "$run" ] || continue
  pid=$(sed -n 's/.*"supervisor": *\\([0-9]*\\).*/\\1/p' "$run")
  runs "$pid" 'plaza.mjs start' && kill "$pid"
  while [ -e "$run" ] && runs "$pid" 'plaza.mjs start'; do sleep 0.1; done
done
for server in "$1"/postgres-server-*; do
  [ -e "$server" ] || continue
  pid=\${server##*-}
  runs "$pid" postgres-server.ts && kill "$pid"
  while runs "$pid" postgres-server.ts; do sleep 0.1; done
done
for data in "$1"/*/postgres; do
  [ ! -L "$data" ] || rm -rf "$(readlink "$data")"
done
until rm -rf "$1" || [ "$((tries += 1))" -gt 100 ]; do sleep 0.1; done
`;

let remover;

export default function setUp() {
  // Left by the run before in watch mode.
  delete process.env['PLAZA_TEST_RUN'];
  const seed = process.env['PLAZA_TEST_SAMPLE'];
  if (seed !== undefined)
    console.log(
      `running a sample of the cases, PLAZA_TEST_SAMPLE=${seed}; for all of them: npm run test:all`,
    );
  const directory = newDataDir();
  process.env['PLAZA_TEST_RUN'] = directory;
  // Its pipe ends with this process. Detached, so that Ctrl-C does not reach it.
  remover = spawn('/bin/sh', ['-c', REMOVER, 'plaza-test-run', directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  remover.unref();
  remover.stdin.unref();
}

/** Waits until the directory is removed. */
export async function tearDown() {
  remover.ref();
  const ended = once(remover, 'exit');
  remover.stdin.end();
  await ended;
}
