import { z } from 'zod';

/**
 * Parts of a backup in the order in which they are copied: a later part knows at least everything that an earlier
 * part knows.
 */
export const backupParts = ['log', 'authority', 'vault', 'witness'] as const;
export type BackupPart = (typeof backupParts)[number];

export const BACKUP_FORMAT = 1;
export const MANIFEST_FILE = 'manifest.json';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const table = /^[a-z_]+\.[a-z_0-9]+$/;
const column = /^(?:[a-z_0-9]+|"[a-z_0-9]+")$/;

const file = z.strictObject({
  /** Name of the file in the directory of its part. A path is refused: it could lead out of that directory. */
  name: z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/),
  bytes: z.int().nonnegative(),
  sha256,
  table: z.string().regex(table).optional(),
  columns: z.array(z.string().regex(column)).optional(),
});
export type BackupFile = z.infer<typeof file>;

const common = {
  format: z.literal(BACKUP_FORMAT),
  backupId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  networkId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  takenAt: z.iso.datetime(),
  version: z.string(),
};

export const partManifest = z.strictObject({
  ...common,
  part: z.enum(backupParts),
  note: z.string(),
  files: z.array(file),
  /** Only in the part `log`: its last event, which records the start of this backup. */
  head: z.strictObject({ position: z.string().regex(/^\d+$/), eventId: z.uuid() }).optional(),
  /** Only in the part `witness`: the epoch (number) of its newest restriction. */
  epoch: z.string().regex(/^\d+$/).optional(),
});
export type PartManifest = z.infer<typeof partManifest>;

/** Content of `DIR/manifest.json`. The file is written last: a directory without it is no complete backup. */
export const backupManifest = z.strictObject({
  ...common,
  parts: z.array(
    z.strictObject({
      part: z.enum(backupParts),
      bytes: z.int().nonnegative(),
      manifestSha256: sha256,
    }),
  ),
});
export type BackupManifest = z.infer<typeof backupManifest>;

export const partInstructions: Readonly<Record<BackupPart, string>> = {
  log: 'Every event of the network. Personal texts in it are encrypted with the keys of the vault.',
  authority: 'SECRET: hashed passwords and secrets, hashed tokens. Accounts and grants are in the log.',
  vault:
    'SECRET: THE KEYS OF ALL PERSONAL TEXTS, AND OF THE NETWORK. This part and the log together make every text readable. Keep it apart from the log, and destroy old copies: they hold the keys of people who were erased since.',
  witness:
    'The ledger of restrictions. Keep it apart from the log: it proves which restrictions a log lacks.',
};
