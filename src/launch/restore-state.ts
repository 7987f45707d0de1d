import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { syncDirectory } from './files.js';
import { LaunchError } from './launch-error.js';

/** What a restore leaves in `DATA_DIR`, for the starts that follow. */

const restoring = z.object({ command: z.string(), parts: z.array(z.string()) });

const restored = z.object({
  restoreId: z.string(),
  backupId: z.string(),
  parts: z.array(z.string()),
  /** Unix milliseconds. */
  at: z.number(),
  operator: z.string(),
  reason: z.string().optional(),
});

/** What was restored, by whom and why: to be put down in the log by the next start. */
export type Restored = z.infer<typeof restored>;

const kept = z.object({ databases: z.record(z.string(), z.array(z.string())) });

/** Schemas that a restore kept aside, by the variable that names their database. */
export type KeptSchemas = z.infer<typeof kept>['databases'];

const RESTORING = 'restoring.json';
const RESTORED = 'restored.json';
const KEPT = 'kept.json';

/**
 * From here on a start is refused, until the restore has come to its end. `command`: what to type to get there; `parts`:
 * what it replaces.
 */
export function beginRestore(dataDir: string, command: string, parts: readonly string[]): void {
  replace(dataDir, RESTORING, { command, parts });
}

/** The restore came to its end. */
export function endRestore(dataDir: string, done: Restored): void {
  replace(dataDir, RESTORED, [...readRestored(dataDir), done]);
  rmSync(join(dataDir, RESTORING), { force: true });
  syncDirectory(dataDir);
}

/** @throws {LaunchError} A restore was interrupted: part of what is there is old, part is new. */
export function refuseHalfRestored(dataDir: string): void {
  const interrupted = readInterrupted(dataDir);
  if (!interrupted) return;
  throw new LaunchError(
    `DATA_DIR: a restore into ${dataDir} was interrupted, so some of it is old and some of it new; run it again to its end: ${interrupted.command}`,
  );
}

/** @throws {LaunchError} A restore was interrupted, and one of these parts would leave some of that as it is. */
export function refuseToLeaveHalf(dataDir: string, parts: readonly string[]): void {
  const interrupted = readInterrupted(dataDir);
  const left = interrupted?.parts.filter((part) => !parts.includes(part)) ?? [];
  if (!interrupted || left.length === 0) return;
  throw new LaunchError(
    `DATA_DIR: a restore into ${dataDir} was interrupted, and this one would leave its ${left.join(', ')} half old and half new; run that one again to its end first: ${interrupted.command}`,
  );
}

function readInterrupted(dataDir: string): z.infer<typeof restoring> | undefined {
  const file = join(dataDir, RESTORING);
  return existsSync(file) ? restoring.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

/** What was restored and is not yet put down in the log, in order. */
export function readRestored(dataDir: string): readonly Restored[] {
  const file = join(dataDir, RESTORED);
  return existsSync(file) ? z.array(restored).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}

export function forgetRestored(dataDir: string): void {
  rmSync(join(dataDir, RESTORED), { force: true });
}

/** Makes the directory in which a restore keeps files aside. */
export function makeKept(dataDir: string, stamp: string): string {
  const directory = join(dataDir, `kept-${stamp}`);
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}

/** Notes what is kept in databases, before it is there: a schema that never came is nothing to remove. */
export function noteKept(directory: string, databases: KeptSchemas): void {
  replace(directory, KEPT, { databases });
}

/** Everything that restores kept aside, the oldest first. */
export function allKept(dataDir: string): readonly { directory: string; databases: KeptSchemas }[] {
  const names = readdirSync(dataDir).filter((name) => /^kept-[a-z0-9]+$/.test(name));
  return names.sort().map((name) => {
    const directory = join(dataDir, name);
    const note = join(directory, KEPT);
    const databases = existsSync(note) ? kept.parse(JSON.parse(readFileSync(note, 'utf8'))).databases : {};
    return { directory, databases };
  });
}

/** In one step, also for a power cut. */
function replace(dataDir: string, name: string, content: object): void {
  const file = join(dataDir, name);
  writeFileSync(`${file}.new`, `${JSON.stringify(content)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  syncDirectory(dataDir);
}
