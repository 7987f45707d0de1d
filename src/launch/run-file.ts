import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { replaceSecretFile } from './files.js';

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

export type RunFile = z.infer<typeof run>;

const fileIn = (dataDir: string) => join(dataDir, 'run.json');

/**
 * Reads `run.json`: the processes of the network that runs on this directory, or that was killed. Undefined: none. A
 * file that cannot be read counts as absent, since it must not block a start.
 */
export function readRunFile(dataDir: string, log?: Logger): RunFile | undefined {
  const file = fileIn(dataDir);
  if (!existsSync(file)) return undefined;
  try {
    return run.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    // The message of the parser quotes the content, which holds secrets.
    log?.warn(
      { file, fault: (error as Error).name },
      'run.json cannot be read; ignoring it and the processes that it lists',
    );
    return undefined;
  }
}

/**
 * Replaces `run.json` atomically, even in a power cut. Only its owner may read it (0600), because the settings in it
 * hold secrets.
 */
export function writeRunFile(dataDir: string, content: RunFile): void {
  replaceSecretFile(fileIn(dataDir), `${JSON.stringify(content, undefined, 2)}\n`);
}

export function removeRunFile(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true });
}
