/** Jest's globalSetup: a directory for what the specs of a run make and share, which goes with the run, however that ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { newDataDir } from './data-dir.ts';

/**
 * Waits for the end of its input, then stops the networks that run in a directory, and removes it. The id of a launcher
 * that was killed may be a stranger's by now; and who ends with the run may still be writing.
 */
const REMOVER = `
is_launcher() {
  { tr '\\0' ' ' < "/proc/$1/cmdline" || ps -ww -o args= -p "$1"; } | grep -q 'plaza.mjs start'
}
read -r line
for run in "$1"/*/run.json; do
  [ -e "$run" ] || continue
  pid=$(sed -n 's/.*"supervisor": *\\([0-9]*\\).*/\\1/p' "$run")
  is_launcher "$pid" && kill "$pid"
  while [ -e "$run" ] && is_launcher "$pid"; do sleep 0.1; done
done
for data in "$1"/*/postgres; do
  [ ! -L "$data" ] || rm -rf "$(readlink "$data")"
done
until rm -rf "$1" || [ "$((tries += 1))" -gt 100 ]; do sleep 0.1; done
`;

let remover;

export default function setUp() {
  // Of the run before, where one process watches files and begins again and again.
  delete process.env['PLAZA_TEST_RUN'];
  const directory = newDataDir();
  process.env['PLAZA_TEST_RUN'] = directory;
  // It holds a pipe from us, which ends with us. In a session of its own no Ctrl-C reaches it.
  remover = spawn('/bin/sh', ['-c', REMOVER, 'plaza-test-run', directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  remover.unref();
  remover.stdin.unref();
}

/** The run is over when nothing of it is left. */
export async function tearDown() {
  remover.ref();
  const ended = once(remover, 'exit');
  remover.stdin.end();
  await ended;
}
