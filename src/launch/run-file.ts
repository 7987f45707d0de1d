import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';

const pid = z.number().int().positive();
const run = z.object({
  ready: z.boolean(),
  pids: z.object({
    supervisor: pid,
    eventStore: pid.optional(),
    postgres: pid.optional(),
    worker: pid.optional(),
    api: pid.optional(),
  }),
  starting: z.array(pid).optional(),
  settings: z.record(z.string(), z.string()),
});

export type Run = z.infer<typeof run>;

const fileIn = (dataDir: string) => join(dataDir, 'run.json');

/**
 * Undefined: nothing runs here, and nothing was killed here. An unreadable file counts as absent, since it must not
 * block a start.
 */
export function readRun(dataDir: string, log?: Logger): Run | undefined {
  const file = fileIn(dataDir);
  if (!existsSync(file)) return undefined;
  try {
    return run.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    // The message of the parser quotes the content, which holds secrets.
    log?.warn({ file, fault: (error as Error).name }, 'run.json cannot be read; ignoring it');
    return undefined;
  }
}

/** Replaces the file atomically, even in a power cut. Mode 0600: the settings hold secrets. */
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
