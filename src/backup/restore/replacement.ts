import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { beginRestore, cancelRestore, endRestore, isHalfRestored, makeKept } from './restore-state.js';
import type { KeptSchemas } from './restore-state.js';
import type { BackupPart } from '../format/manifest.js';
import { forgetAudit, forgetAuthority, forgetReadModels, publishedNetwork } from './derived.js';
import { PreRestoreCopy } from './pre-restore-copies.js';
import {
  destroyAgain,
  endAgain,
  refuseForgotten,
  refuseLostKeys,
  rememberWitness,
  restoreTables,
  RestoreRefused,
} from './restore-tables.js';
import type { TableFile } from './restore-tables.js';
import { Failure } from '../../operator/cli/failure.js';
import type { CheckedBackup } from './checked-backup.js';
import type { LogReplacement } from './restore-log.js';
import type { RestorePart } from './restore-parts.js';
import type { RestoreOptions } from './restore.js';
import type { StoppedClients, StoppedStores } from './stores.js';

/** How far it is: named after what was done last. */
export const replacingSteps = [
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

export type ReplacingStep = (typeof replacingSteps)[number];

export interface Replaced {
  readonly parts: readonly RestorePart[];
  /** Where it is noted what is kept until the network is ready again. */
  readonly kept: string;
  /** Where the log that was there is kept; null: it stayed. */
  readonly keptLog: string | null;
  /** In which schemas of the databases their tables are kept. */
  readonly keptSchemas: KeptSchemas;
  /** How many people were erased since the backup: their keys stay destroyed. */
  readonly stillErased: number;
  /** The witness here knew more than the backup, and stays. */
  readonly witnessKept: boolean;
  /** Line of the restored ledger that was altered, before the backup was taken. */
  readonly witnessBrokenAt: string | null;
}

interface Given extends RestoreOptions {
  readonly parts: readonly RestorePart[];
  readonly dataDir: string;
  readonly stores: StoppedStores;
  readonly backup: CheckedBackup;
  /** Undefined: the log stays. */
  readonly log: LogReplacement | undefined;
  /** False: the log is on a server of its own. */
  readonly isLogHere: boolean;
  /** Of `[a-z0-9]`, another for each restore: what it keeps is named by it. */
  readonly stamp: string;
  readonly onBytes: (bytes: number) => void;
}

/**
 * Puts what was checked in the place of what is there. The databases are prepared first, in one transaction each, and the log
 * is laid out beside the old one. Then the log's files change places, which can be undone, and the databases are committed.
 */
export class Replacement {
  readonly #kept: Readonly<Record<keyof KeptNames, PreRestoreCopy>>;

  constructor(private readonly given: Given) {
    const { stamp } = given;
    this.#kept = {
      database: new PreRestoreCopy(stamp),
      vault: new PreRestoreCopy(stamp),
      witness: new PreRestoreCopy(stamp),
    };
  }

  /** `witness`: whether to leave out one that would forget something, or to refuse. @throws {RestoreRefused} */
  async run(witness: 'if it forgets nothing' | 'as it is asked'): Promise<Replaced> {
    const { stores, dataDir, backup, log, stamp, parts, now, operator, reason } = this.given;
    const clients = await stores.connect();
    try {
      await this.#refuseOtherNetwork(clients.database);
      for (const [, client] of databasesOf(clients)) await client.query('BEGIN');
      const isWitnessed = await this.#witness(clients.witness, witness);
      const stillErased = await this.#vault(clients.vault);
      await this.#database(clients.database);
      await this.#reached('databases prepared');
      const kept = await this.#files();
      for (const [name, client] of databasesOf(clients)) {
        await client.query('COMMIT');
        await this.#reached(`${name} committed`);
      }
      const done = parts.filter((part) => part !== 'witness' || isWitnessed);
      const { backupId } = backup.manifest;
      const said = { restoreId: stamp, backupId, parts: done, at: now, operator };
      endRestore(dataDir, { ...said, ...(reason !== undefined && { reason }) });
      await this.#reached('ended');
      const broken = isWitnessed ? await stores.firstBroken() : undefined;
      return {
        parts: done,
        kept,
        keptLog: log?.kept ?? null,
        keptSchemas: this.#schemas(),
        stillErased,
        witnessKept: parts.includes('witness') && !isWitnessed,
        witnessBrokenAt: broken === undefined ? null : String(broken),
      };
    } finally {
      await clients.end();
    }
  }

  /** All that changes in files. Where it fails nothing has changed, and a restore that was cut off before can still be ended. */
  async #files(): Promise<string> {
    const { dataDir, stamp, backup, log, onBytes, command, parts } = this.given;
    const manifest = backup.parts.get('log');
    const isResumed = isHalfRestored(dataDir);
    const kept = makeKept(dataDir, stamp, this.#schemas());
    try {
      if (manifest) await log?.layOut(join(backup.dir, 'log'), manifest, onBytes);
      await this.#reached('log laid out');
      // From here to the end it is some of the old and some of the new.
      beginRestore(dataDir, command, parts);
      await this.#reached('begun');
      await log?.keepAside();
      await this.#reached('log kept aside');
      await log?.putInPlace();
      await this.#reached('log put in place');
      return kept;
    } catch (error) {
      await this.#undo();
      await rm(kept, { recursive: true });
      if (!isResumed) cancelRestore(dataDir);
      throw error;
    }
  }

  async #undo(): Promise<void> {
    const { log, command } = this.given;
    try {
      await log?.undo();
    } catch (cause) {
      throw new Failure(
        `the log could be neither replaced nor put back (${(cause as Error).message}); mend that, and run the restore again: ${command}`,
        { cause },
      );
    }
  }

  async #reached(step: ReplacingStep): Promise<void> {
    await this.given.observe?.(step);
  }

  async #refuseOtherNetwork(client: ClientBase): Promise<void> {
    const here = await publishedNetwork(client);
    const { networkId } = this.given.backup.manifest;
    if (here === undefined || here === networkId) return;
    throw new RestoreRefused(
      `this is the backup of network ${networkId}, and here is network ${here}; restore it into an empty DATA_DIR, and into databases of its own`,
    );
  }

  /** False: it was left as it is. */
  async #witness(client: ClientBase, how: 'if it forgets nothing' | 'as it is asked'): Promise<boolean> {
    const kept = this.#kept.witness;
    if (!this.given.parts.includes('witness')) return false;
    await this.#tables(client, 'witness', kept);
    try {
      await refuseForgotten(client, kept, this.given);
      return true;
    } catch (error) {
      if (how === 'as it is asked' || !(error instanceof RestoreRefused)) throw error;
      await client.query('ROLLBACK; BEGIN');
      kept.schemas.length = 0;
      return false;
    }
  }

  async #vault(client: ClientBase): Promise<number> {
    const kept = this.#kept.vault;
    const { parts } = this.given;
    if (!parts.includes('vault')) return 0;
    await this.#tables(client, 'vault', kept);
    await rememberWitness(client, kept);
    if (!parts.includes('log')) await refuseLostKeys(client, kept, this.given);
    return destroyAgain(client, kept);
  }

  async #database(client: ClientBase): Promise<void> {
    const kept = this.#kept.database;
    const { parts, now } = this.given;
    if (parts.includes('authority')) {
      await this.#tables(client, 'authority', kept);
      await endAgain(client, kept);
    }
    if (parts.includes('authority') || parts.includes('log')) await forgetAuthority(client, kept, now);
    if (parts.includes('read')) await forgetReadModels(client, kept);
    else if (parts.includes('log')) await forgetAudit(client, kept);
  }

  async #tables(client: ClientBase, part: Exclude<BackupPart, 'log'>, kept: PreRestoreCopy): Promise<void> {
    const { backup, onBytes } = this.given;
    const files = (backup.parts.get(part)?.files ?? []).map(
      ({ name, bytes, table = '', columns = [] }): TableFile => {
        return { path: join(backup.dir, part, name), bytes, table, columns };
      },
    );
    await restoreTables(client, part, files, kept, onBytes);
  }

  #schemas(): KeptSchemas {
    const named = {
      DATABASE_URL: this.#kept.database.schemas,
      VAULT_DATABASE_URL: this.#kept.vault.schemas,
      WITNESS_DATABASE_URL: this.#kept.witness.schemas,
    };
    return Object.fromEntries(Object.entries(named).filter(([, schemas]) => schemas.length > 0));
  }
}

type KeptNames = Pick<StoppedClients, 'database' | 'vault' | 'witness'>;

/** In the order in which they are committed. */
const databasesOf = ({ witness, vault, database }: StoppedClients) =>
  [
    ['witness', witness],
    ['vault', vault],
    ['database', database],
  ] as const;
