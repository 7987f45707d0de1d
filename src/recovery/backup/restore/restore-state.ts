import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceSecretFile, syncDirectory } from '../../../launch/files.js';
import { LaunchError } from '../../../launch/launch-error.js';

const restoring = z.object({ command: z.string(), parts: z.array(z.string()) });

const restored = z.object({
  restoreId: z.string(),
  backupId: z.string(),
  parts: z.array(z.string()),
  at: z.number(),
  operator: z.string(),
  account: z.string().optional(),
  reason: z.string().optional(),
});

export type UnrecordedRestore = z.infer<typeof restored>;

const copyList = z.object({ databases: z.record(z.string(), z.array(z.string())) });

export type CopiedSchemas = z.infer<typeof copyList>['databases'];

const RESTORING = 'restoring.json';
const RESTORED = 'restored.json';
const KEPT = 'kept.json';

/**
 * Marks a restore as begun: the network does not start until it completes. `command`: the command line that completes
 * it. `parts`: the parts that it replaces.
 */
export function beginRestore(dataDir: string, command: string, parts: readonly string[]): void {
  replaceJson(dataDir, RESTORING, { command, parts });
}

export function isRestoreInterrupted(dataDir: string): boolean {
  return readInterrupted(dataDir) !== undefined;
}

export function cancelRestore(dataDir: string): void {
  rmSync(join(dataDir, RESTORING), { force: true });
  syncDirectory(dataDir);
}

export function endRestore(dataDir: string, done: UnrecordedRestore): void {
  replaceJson(dataDir, RESTORED, [...readUnrecordedRestores(dataDir), done]);
  cancelRestore(dataDir);
}

/**
 * Throws if a restore is unfinished: the network must not start on a mixture of old and new data.
 * @throws {LaunchError} names the command that completes the restore.
 */
export function refuseInterruptedRestore(dataDir: string): void {
  const interrupted = readInterrupted(dataDir);
  if (!interrupted) return;
  throw new LaunchError(
    `DATA_DIR: a restore into ${dataDir} was interrupted, so old and new data are mixed; run it again to its end: ${interrupted.command}`,
  );
}

/**
 * Throws if an interrupted restore replaced a part that is not among these: that part would stay a mixture of old and
 * new data.
 * @throws {LaunchError} names the command that completes the interrupted restore.
 */
export function refuseUncoveredParts(dataDir: string, parts: readonly string[]): void {
  const interrupted = readInterrupted(dataDir);
  const uncovered = interrupted?.parts.filter((part) => !parts.includes(part)) ?? [];
  if (!interrupted || uncovered.length === 0) return;
  throw new LaunchError(
    `DATA_DIR: a restore into ${dataDir} was interrupted, and this one would leave old and new data mixed in its ${uncovered.join(', ')}; run that one again to its end first: ${interrupted.command}`,
  );
}

function readInterrupted(dataDir: string): z.infer<typeof restoring> | undefined {
  const file = join(dataDir, RESTORING);
  return existsSync(file) ? restoring.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

export function readUnrecordedRestores(dataDir: string): readonly UnrecordedRestore[] {
  const file = join(dataDir, RESTORED);
  return existsSync(file) ? z.array(restored).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}

export function removeUnrecordedRestores(dataDir: string): void {
  rmSync(join(dataDir, RESTORED), { force: true });
}

/**
 * Creates the directory with the list of the pre-restore copies, and returns its path. Schemas are listed before they
 * exist: removing one that does not exist does nothing.
 */
export function createCopyDirectory(dataDir: string, stamp: string, databases: CopiedSchemas): string {
  const directory = join(dataDir, `kept-${stamp}`);
  mkdirSync(directory, { mode: 0o700 });
  replaceJson(directory, KEPT, { databases });
  return directory;
}

export interface CopyLocation {
  readonly directory: string;
  readonly log: string;
  readonly databases: CopiedSchemas;
}

export function allPreRestoreCopies(dataDir: string): readonly CopyLocation[] {
  const stamps = readdirSync(dataDir).flatMap((name) => /^kept-([a-z0-9]+)$/.exec(name)?.[1] ?? []);
  return stamps.sort().map((stamp) => {
    const directory = join(dataDir, `kept-${stamp}`);
    const listFile = join(directory, KEPT);
    const databases = existsSync(listFile)
      ? copyList.parse(JSON.parse(readFileSync(listFile, 'utf8'))).databases
      : {};
    return { directory, log: preRestoreLogIn(dataDir, stamp), databases };
  });
}

export const eventStoreIn = (dataDir: string) => join(dataDir, 'eventstore');

/**
 * Directory for the log of the backup until it is put in place. It is in the directory of the event store, which may
 * be a file system of its own.
 */
export const restoringLogIn = (dataDir: string) => join(eventStoreIn(dataDir), 'restoring');

export const preRestoreLogIn = (dataDir: string, stamp: string) =>
  join(eventStoreIn(dataDir), `kept-${stamp}`);

/** Writes a JSON file, atomically and durably: a power cut leaves the old or the new content. */
function replaceJson(dataDir: string, name: string, content: object): void {
  replaceSecretFile(join(dataDir, name), `${JSON.stringify(content)}\n`);
  syncDirectory(dataDir);
}
