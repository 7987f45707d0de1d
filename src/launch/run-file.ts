import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const pid = z.number().int().positive();
const run = z.object({
  ready: z.boolean(),
  /** Processes that run now. A store that was named by its URL is not ours and is not listed. */
  pids: z.object({
    supervisor: pid,
    eventStore: pid.optional(),
    postgres: pid.optional(),
    worker: pid.optional(),
    api: pid.optional(),
  }),
  /** The environment in which another process finds the stores and the operator API. */
  settings: z.record(z.string(), z.string()),
});

/** What runs on a `DATA_DIR` now: `DATA_DIR/run.json`, there while the launcher runs and after it was killed. */
export type Run = z.infer<typeof run>;

const fileIn = (dataDir: string) => join(dataDir, 'run.json');

/** Undefined when nothing runs here, and nothing was killed here. */
export function readRun(dataDir: string): Run | undefined {
  const file = fileIn(dataDir);
  return existsSync(file) ? run.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

/** Replaces the file in one step. Only its owner may read it: the settings hold secrets. */
export function writeRun(dataDir: string, content: Run): void {
  const file = fileIn(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removeRun(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true });
}
