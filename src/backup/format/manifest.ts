import { z } from 'zod';

/** What a backup has, in this order: what comes later knows at least what the earlier ones do. */
export const backupParts = ['log', 'authority', 'vault', 'witness'] as const;
export type BackupPart = (typeof backupParts)[number];

export const FORMAT = 1;
export const MANIFEST = 'manifest.json';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const table = /^[a-z_]+\.[a-z_0-9]+$/;
const column = /^(?:[a-z_0-9]+|"[a-z_0-9]+")$/;

const file = z.strictObject({
  /** A plain name: it must not lead out of its directory. */
  name: z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/),
  bytes: z.int().nonnegative(),
  sha256,
  /** Of a table: what `COPY` puts it back with. */
  table: z.string().regex(table).optional(),
  columns: z.array(z.string().regex(column)).optional(),
});
export type BackupFile = z.infer<typeof file>;

const common = {
  format: z.literal(FORMAT),
  backupId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  networkId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  /** When it was begun, ISO 8601 in UTC. */
  takenAt: z.iso.datetime(),
  /** Of Plaza. */
  version: z.string(),
};

/** `DIR/<part>/manifest.json`. */
export const partManifest = z.strictObject({
  ...common,
  part: z.enum(backupParts),
  /** In words, for whoever finds it. */
  note: z.string(),
  files: z.array(file),
  /** Of the log: the event that it ends with, which is the one that says that this backup was begun. */
  head: z.strictObject({ position: z.string().regex(/^\d+$/), eventId: z.uuid() }).optional(),
  /** Of the witness: number of the newest restriction. */
  epoch: z.string().regex(/^\d+$/).optional(),
});
export type PartManifest = z.infer<typeof partManifest>;

/** `DIR/manifest.json`: written last, so that a backup without it is none. */
export const backupManifest = z.strictObject({
  ...common,
  parts: z.array(
    z.strictObject({
      part: z.enum(backupParts),
      bytes: z.int().nonnegative(),
      /** Of the part's own manifest. */
      manifestSha256: sha256,
    }),
  ),
});
export type BackupManifest = z.infer<typeof backupManifest>;

/** What each part is, for whoever finds it without the rest. */
export const notes: Readonly<Record<BackupPart, string>> = {
  log: 'Every fact of the network. What people wrote is sealed in it under the keys of the vault.',
  authority: 'SECRET: hashed passwords and secrets, hashed tokens. Accounts and grants are in the log.',
  vault:
    'SECRET: THE KEYS OF EVERYTHING THAT PEOPLE WROTE, AND OF THE NETWORK. Whoever has this and the log reads all of it. Keep it apart from the log, and destroy old copies: they hold the keys of people who were erased since.',
  witness:
    'What was taken away from sight or authority. Keep it apart from the log: it proves what a log lacks.',
};
