import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { syncDirectory } from '../../launch/files.js';
import { LaunchError } from '../../launch/launch-error.js';

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

/** Whether a restore was cut off half-way. */
export function isHalfRestored(dataDir: string): boolean {
  return readInterrupted(dataDir) !== undefined;
}

/** The restore failed, and everything is as it was. */
export function cancelRestore(dataDir: string): void {
  rmSync(join(dataDir, RESTORING), { force: true });
  syncDirectory(dataDir);
}

/** The restore came to its end. */
export function endRestore(dataDir: string, done: Restored): void {
  replace(dataDir, RESTORED, [...readRestored(dataDir), done]);
  cancelRestore(dataDir);
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

/**
 * Makes the directory that says what a restore keeps aside, and answers it. What is kept in databases is noted before it is
 * there: a schema that never came is nothing to remove.
 */
export function makeKept(dataDir: string, stamp: string, databases: KeptSchemas): string {
  const directory = join(dataDir, `kept-${stamp}`);
  mkdirSync(directory, { mode: 0o700 });
  replace(directory, KEPT, { databases });
  return directory;
}

/** What one restore kept aside. */
export interface KeptAside {
  readonly directory: string;
  /** Of the log; not there where that stayed. */
  readonly log: string;
  readonly databases: KeptSchemas;
}

/** Everything that restores kept aside, the oldest first. */
export function allPreRestoreCopies(dataDir: string): readonly KeptAside[] {
  const stamps = readdirSync(dataDir).flatMap((name) => /^kept-([a-z0-9]+)$/.exec(name)?.[1] ?? []);
  return stamps.sort().map((stamp) => {
    const directory = join(dataDir, `kept-${stamp}`);
    const note = join(directory, KEPT);
    const databases = existsSync(note) ? kept.parse(JSON.parse(readFileSync(note, 'utf8'))).databases : {};
    return { directory, log: keptLogIn(dataDir, stamp), databases };
  });
}

/** Where the embedded event store has its log. */
export const eventStoreIn = (dataDir: string) => join(dataDir, 'eventstore');

/** Where a restore lays out the log: within the event store's directory, which may be a file system of its own. */
export const restoringLogIn = (dataDir: string) => join(eventStoreIn(dataDir), 'restoring');

/** Where a restore keeps the log that was there, for the same reason. */
export const keptLogIn = (dataDir: string, stamp: string) => join(eventStoreIn(dataDir), `kept-${stamp}`);

/** In one step, also for a power cut. */
function replace(dataDir: string, name: string, content: object): void {
  const file = join(dataDir, name);
  writeFileSync(`${file}.new`, `${JSON.stringify(content)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  syncDirectory(dataDir);
}
