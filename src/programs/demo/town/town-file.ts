import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../../../base/terminal/failure.js';
import { acquireDirectory } from '../../../launch/data-dir.js';
import { replaceSecretFile } from '../../../launch/files.js';
import { makeDirectories } from '../../../launch/make-directories.js';
import type { TownPlan } from './plan.js';

const application = z.object({ clientId: z.string(), clientSecret: z.string(), port: z.number() });

const town = z.object({
  /** Random. In the reasons of the operator's acts and in the intents, so that a second run finds what the first one did. */
  tag: z.string(),
  people: z.array(z.object({ handle: z.string(), displayName: z.string(), password: z.string() })),
  /** Undefined: not registered yet. */
  application: application.optional(),
  isComplete: z.boolean(),
});

/** The accounts and application of a demo, for later runs. */
export type Town = z.infer<typeof town>;
export type TownApplication = z.infer<typeof application>;

const directoryIn = (dataDir: string): string => join(dataDir, 'demo');
export const townFileIn = (dataDir: string): string => join(directoryIn(dataDir), 'people.json');
/** Sessions of the reference application. */
export const sessionsFileIn = (dataDir: string): string => join(directoryIn(dataDir), 'sessions.sqlite');

export const newTown = ({ people }: TownPlan): Town => ({
  tag: randomBytes(8).toString('hex'),
  people: people.map(({ handle, displayName }) => ({ handle, displayName, password: newPassword() })),
  isComplete: false,
});

const newPassword = (): string => randomBytes(12).toString('base64url');

/** Works on the town of a `DATA_DIR` alone. @throws {Failure} another process does; the directory is not usable. */
export async function withTownLock<Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> {
  const directory = directoryIn(dataDir);
  let release: (() => void) | undefined;
  try {
    makeDirectories(directory, 0o700);
    release = acquireDirectory(directory);
  } catch (error) {
    throw new Failure(`DATA_DIR: ${directory} cannot be used: ${(error as Error).message}`, { cause: error });
  }
  if (!release)
    throw new Failure(
      `another demo is at work on ${dataDir} (DATA_DIR); when it has ended, the same command uses what it made`,
    );
  try {
    return await work();
  } finally {
    release();
  }
}

/** @throws {Failure} the file is damaged. */
export function readTown(dataDir: string): Town | undefined {
  const file = townFileIn(dataDir);
  try {
    return town.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // The message of the parser quotes the content, which has passwords.
    throw new Failure(
      `${file} cannot be read (${(error as Error).name}); nobody else has the passwords of the demo's people. ` +
        'Restore the file, or delete it: then they stay as ordinary accounts, which plaza account erase erases',
    );
  }
}

export const writeTown = (dataDir: string, content: Town): void =>
  replaceSecretFile(townFileIn(dataDir), `${JSON.stringify(content, undefined, 2)}\n`);

/**
 * The sessions stay for an application that still serves them: they end as the network answers. Their rows are encrypted
 * under the cookies of browsers.
 */
export const removeTownFile = (dataDir: string): void => rmSync(townFileIn(dataDir), { force: true });
