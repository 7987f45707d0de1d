import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import {
  beginRestore,
  cancelRestore,
  endRestore,
  isRestoreInterrupted,
  createCopyDirectory,
} from './restore-state.js';
import type { CopiedSchemas } from './restore-state.js';
import type { BackupPart } from '../format/manifest.js';
import {
  resetDerivedTables,
  resetAuthorityTables,
  resetReadModels,
  publishedNetwork,
} from './reset-derived-data.js';
import { PreRestoreCopy } from './pre-restore-copies.js';
import {
  destroyErasedKeys,
  keepNewerCredentials,
  refuseMissingRestrictions,
  refuseMissingKeys,
  copyWitnessRecordBack,
  restoreTables,
  RestoreRefusedError,
} from './restore-tables.js';
import type { TableFile } from './restore-tables.js';
import { Failure } from '../../../base/terminal/failure.js';
import type { CheckedBackup } from './checked-backup.js';
import type { LogReplacement } from './restore-log.js';
import type { RestorePart } from './restore-parts.js';
import type { DatabaseClients, StoppedNetworkDatabases } from './stopped-stores.js';

export const replacementSteps = [
  'databases prepared',
  'log laid out',
  'begun',
  'log kept aside',
  'log put in place',
  'witness committed',
  'vault committed',
  'database committed',
  'ended',
] as const;

export type ReplacementStep = (typeof replacementSteps)[number];

export interface ReplacementResult {
  readonly parts: readonly RestorePart[];
  readonly kept: string;
  /** Directory with the replaced log. Null: this restore did not replace the log. */
  readonly keptLog: string | null;
  readonly keptSchemas: CopiedSchemas;
  /** Number of people who were erased after the backup was taken: their keys stay destroyed. */
  readonly stillErased: number;
  /** True: the current witness was not replaced, because it knows restrictions that the backup lacks. */
  readonly witnessKept: boolean;
  readonly witnessBrokenAt: string | null;
}

/**
 * A restore as requested: claimed name of the operator, account of the operating system, reason, time. `command`: the
 * command line that completes this restore if it is interrupted.
 */
export interface RestoreRequest {
  readonly reason: string | undefined;
  readonly operator: string;
  readonly account: string;
  readonly now: number;
  readonly command: string;
  readonly observe?: (step: ReplacementStep) => Promise<void>;
}

interface ReplacementOptions extends RestoreRequest {
  readonly parts: readonly RestorePart[];
  readonly dataDir: string;
  readonly stores: StoppedNetworkDatabases;
  readonly backup: CheckedBackup;
  readonly log: LogReplacement | undefined;
  readonly isLogHere: boolean;
  readonly stamp: string;
  readonly onBytes: (bytes: number) => void;
}

/**
 * Replaces the stores by a checked backup. First a transaction is prepared in each database, and the log of the
 * backup is copied beside the current one. Then the files of the log are swapped, which can still be undone, and the
 * databases commit.
 */
export class Replacement {
  readonly #copies: Readonly<Record<keyof DatabaseNames, PreRestoreCopy>>;

  constructor(private readonly options: ReplacementOptions) {
    const { stamp } = options;
    this.#copies = {
      database: new PreRestoreCopy(stamp),
      vault: new PreRestoreCopy(stamp),
      witness: new PreRestoreCopy(stamp),
    };
  }

  /**
   * Replaces the stores. `witness`: what happens if the current witness has restrictions that the backup lacks:
   * `optional` keeps that witness, `required` refuses the restore.
   * @throws {RestoreRefusedError} nothing was replaced.
   */
  async run(witness: 'optional' | 'required'): Promise<ReplacementResult> {
    const { stores, dataDir, backup, log, stamp, parts, now, operator, account, reason } = this.options;
    const clients = await stores.connect();
    try {
      await this.#refuseOtherNetwork(clients.database);
      for (const [, client] of databasesOf(clients)) await client.query('BEGIN');
      const isWitnessed = await this.#replaceWitness(clients.witness, witness);
      const stillErased = await this.#replaceVault(clients.vault);
      await this.#replaceDatabase(clients.database);
      await this.#reached('databases prepared');
      const copyDirectory = await this.#replaceFiles();
      for (const [name, client] of databasesOf(clients)) {
        await client.query('COMMIT');
        await this.#reached(`${name} committed`);
      }
      const done = parts.filter((part) => part !== 'witness' || isWitnessed);
      const { backupId } = backup.manifest;
      const record = { restoreId: stamp, backupId, parts: done, at: now, operator, account };
      endRestore(dataDir, { ...record, ...(reason !== undefined && { reason }) });
      await this.#reached('ended');
      const broken = isWitnessed ? await stores.firstBroken() : undefined;
      return {
        parts: done,
        kept: copyDirectory,
        keptLog: log?.archiveDirectory ?? null,
        keptSchemas: this.#schemas(),
        stillErased,
        witnessKept: parts.includes('witness') && !isWitnessed,
        witnessBrokenAt: broken === undefined ? null : String(broken),
      };
    } finally {
      await clients.end();
    }
  }

  /**
   * Replaces the files; no database changes. If it fails, the files are as before, and a restore that was interrupted
   * before can still be completed.
   */
  async #replaceFiles(): Promise<string> {
    const { dataDir, stamp, backup, log, onBytes, command, parts } = this.options;
    const manifest = backup.parts.get('log');
    const isRetry = isRestoreInterrupted(dataDir);
    const copyDirectory = createCopyDirectory(dataDir, stamp, this.#schemas());
    try {
      if (manifest) await log?.stage(join(backup.dir, 'log'), manifest, onBytes);
      await this.#reached('log laid out');
      beginRestore(dataDir, command, parts);
      await this.#reached('begun');
      await log?.archive();
      await this.#reached('log kept aside');
      await log?.install();
      await this.#reached('log put in place');
      return copyDirectory;
    } catch (error) {
      await this.#undo();
      await rm(copyDirectory, { recursive: true });
      if (!isRetry) cancelRestore(dataDir);
      throw error;
    }
  }

  async #undo(): Promise<void> {
    const { log, command } = this.options;
    try {
      await log?.undo();
    } catch (cause) {
      throw new Failure(
        `the log could be neither replaced nor put back (${(cause as Error).message}); fix the cause, then run the restore again: ${command}`,
        { cause },
      );
    }
  }

  async #reached(step: ReplacementStep): Promise<void> {
    await this.options.observe?.(step);
  }

  async #refuseOtherNetwork(client: ClientBase): Promise<void> {
    const published = await publishedNetwork(client);
    const { networkId } = this.options.backup.manifest;
    if (published === undefined || published === networkId) return;
    throw new RestoreRefusedError(
      `this is the backup of network ${networkId}, and DATABASE_URL holds network ${published}; restore it into an empty DATA_DIR, and into databases of its own`,
    );
  }

  async #replaceWitness(client: ClientBase, mode: 'optional' | 'required'): Promise<boolean> {
    const copy = this.#copies.witness;
    if (!this.options.parts.includes('witness')) return false;
    await this.#replaceTables(client, 'witness', copy);
    try {
      await refuseMissingRestrictions(client, copy, this.options);
      return true;
    } catch (error) {
      if (mode === 'required' || !(error instanceof RestoreRefusedError)) throw error;
      await client.query('ROLLBACK; BEGIN');
      copy.schemas.length = 0;
      return false;
    }
  }

  async #replaceVault(client: ClientBase): Promise<number> {
    const copy = this.#copies.vault;
    const { parts } = this.options;
    if (!parts.includes('vault')) return 0;
    await this.#replaceTables(client, 'vault', copy);
    await copyWitnessRecordBack(client, copy);
    if (!parts.includes('log')) await refuseMissingKeys(client, copy, this.options);
    return destroyErasedKeys(client, copy);
  }

  async #replaceDatabase(client: ClientBase): Promise<void> {
    const copy = this.#copies.database;
    const { parts, now } = this.options;
    if (parts.includes('authority')) {
      await this.#replaceTables(client, 'authority', copy);
      await keepNewerCredentials(client, copy);
    }
    if (parts.includes('authority') || parts.includes('log')) await resetAuthorityTables(client, copy, now);
    if (parts.includes('read')) await resetReadModels(client, copy);
    else if (parts.includes('log')) await resetDerivedTables(client, copy);
  }

  async #replaceTables(
    client: ClientBase,
    part: Exclude<BackupPart, 'log'>,
    copy: PreRestoreCopy,
  ): Promise<void> {
    const { backup, onBytes } = this.options;
    const files = (backup.parts.get(part)?.files ?? []).map(
      ({ name, bytes, table = '', columns = [] }): TableFile => {
        return { path: join(backup.dir, part, name), bytes, table, columns };
      },
    );
    await restoreTables(client, part, files, copy, onBytes);
  }

  #schemas(): CopiedSchemas {
    const named = {
      DATABASE_URL: this.#copies.database.schemas,
      VAULT_DATABASE_URL: this.#copies.vault.schemas,
      WITNESS_DATABASE_URL: this.#copies.witness.schemas,
    };
    return Object.fromEntries(Object.entries(named).filter(([, schemas]) => schemas.length > 0));
  }
}

type DatabaseNames = Pick<DatabaseClients, 'database' | 'vault' | 'witness'>;

const databasesOf = ({ witness, vault, database }: DatabaseClients) =>
  [
    ['witness', witness],
    ['vault', vault],
    ['database', database],
  ] as const;
