import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';

const pid = z.number().int().positive();
const run = z.object({
  ready: z.boolean(),
  /** Processes that serve now. A store that was named by its URL is not ours and is not listed. */
  pids: z.object({
    supervisor: pid,
    eventStore: pid.optional(),
    postgres: pid.optional(),
    worker: pid.optional(),
    api: pid.optional(),
  }),
  /** Of processes that were started and do not serve yet, Postgres' aside. */
  starting: z.array(pid).optional(),
  /** The environment in which another process finds the stores and the operator API. */
  settings: z.record(z.string(), z.string()),
});

/** What runs on a `DATA_DIR` now: `DATA_DIR/run.json`, there while the launcher runs and after it was killed. */
export type Run = z.infer<typeof run>;

const fileIn = (dataDir: string) => join(dataDir, 'run.json');

/**
 * Undefined when nothing runs here, and nothing was killed here. A file that cannot be read back, whatever cut it short,
 * says no more than none: it must not keep a network from starting.
 */
export function readRun(dataDir: string, log?: Logger): Run | undefined {
  const file = fileIn(dataDir);
  if (!existsSync(file)) return undefined;
  try {
    return run.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    // The parser's message would quote the content, which holds secrets.
    log?.warn({ file, fault: (error as Error).name }, 'run.json cannot be read; taking it for none');
    return undefined;
  }
}

/** Replaces the file in one step, also for a power cut. Only its owner may read it: the settings hold secrets. */
export function writeRun(dataDir: string, content: Run): void {
  const file = fileIn(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(content, undefined, 2)}\n`, {
    mode: 0o600,
    flush: true,
  });
  renameSync(`${file}.new`, file);
}

export function removeRun(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true });
}
