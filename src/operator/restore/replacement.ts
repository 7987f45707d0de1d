import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { beginRestore, endRestore, makeKept, noteKept } from '../../launch/restore-state.js';
import type { KeptSchemas } from '../../launch/restore-state.js';
import type { BackupPart } from '../../recovery/backup/manifest.js';
import {
  forgetAudit,
  forgetAuthority,
  forgetReadModels,
  publishedNetwork,
} from '../../recovery/restore/derived.js';
import { Kept } from '../../recovery/restore/kept.js';
import {
  destroyAgain,
  endAgain,
  refuseForgotten,
  refuseLostKeys,
  rememberWitness,
  restoreTables,
  RestoreRefused,
} from '../../recovery/restore/tables.js';
import type { TableFile } from '../../recovery/restore/tables.js';
import type { CheckedBackup } from './checked-backup.js';
import { keepAside, layOut, putInPlace } from './restore-log.js';
import type { RestorePart } from './parts.js';
import type { RestoreOptions } from './restore.js';
import type { StoppedClients, StoppedStores } from './stores.js';

/** How far it is: named after what was done last. */
export const replacingSteps = [
  'databases prepared',
  'log laid out',
  'begun',
  'witness committed',
  'vault committed',
  'database committed',
  'log kept aside',
  'log put in place',
  'ended',
] as const;

export type ReplacingStep = (typeof replacingSteps)[number];

export interface Replaced {
  readonly parts: readonly RestorePart[];
  /** Where what was there is kept until the network is ready again. */
  readonly kept: string;
  /** And in which schemas of the databases. */
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
  readonly onBytes: (bytes: number) => void;
}

/**
 * Puts what was checked in the place of what is there. Each database changes in one transaction, the log in one rename;
 * they are prepared first, all of them, and then take effect within moments of each other.
 */
export class Replacement {
  readonly #stamp: string;
  readonly #kept: Readonly<Record<keyof KeptNames, Kept>>;

  constructor(private readonly given: Given) {
    const time = new Date(given.now).toISOString().replaceAll(/\D/g, '').slice(0, 14);
    this.#stamp = `${time}${randomBytes(3).toString('hex')}`;
    this.#kept = {
      database: new Kept(this.#stamp),
      vault: new Kept(this.#stamp),
      witness: new Kept(this.#stamp),
    };
  }

  /** `witness`: whether to leave out one that would forget something, or to refuse. @throws {RestoreRefused} */
  async run(witness: 'if it forgets nothing' | 'as it is asked'): Promise<Replaced> {
    const { stores, dataDir, backup, onBytes, parts, now, operator, reason, command } = this.given;
    const { observe = () => Promise.resolve() } = this.given;
    const log = backup.parts.get('log');
    const clients = await stores.connect();
    try {
      await this.#refuseOtherNetwork(clients.database);
      for (const [, client] of databasesOf(clients)) await client.query('BEGIN');
      const isWitnessed = await this.#witness(clients.witness, witness);
      const stillErased = await this.#vault(clients.vault);
      await this.#database(clients.database);
      await observe('databases prepared');
      const place = log && (await layOut(dataDir, join(backup.dir, 'log'), log, onBytes));
      const kept = makeKept(dataDir, this.#stamp);
      noteKept(kept, this.#schemas());
      await observe('log laid out');
      // From here to the end it is some of the old and some of the new.
      beginRestore(dataDir, command, parts);
      await observe('begun');
      for (const [name, client] of databasesOf(clients)) {
        await client.query('COMMIT');
        await observe(`${name} committed`);
      }
      if (place !== undefined) {
        await keepAside(dataDir, kept);
        await observe('log kept aside');
        await putInPlace(dataDir, place);
        await observe('log put in place');
      }
      const done = parts.filter((part) => part !== 'witness' || isWitnessed);
      const { backupId } = backup.manifest;
      const said = { restoreId: this.#stamp, backupId, parts: done, at: now, operator };
      endRestore(dataDir, { ...said, ...(reason !== undefined && { reason }) });
      await observe('ended');
      const broken = isWitnessed ? await stores.firstBroken() : undefined;
      return {
        parts: done,
        kept,
        keptSchemas: this.#schemas(),
        stillErased,
        witnessKept: parts.includes('witness') && !isWitnessed,
        witnessBrokenAt: broken === undefined ? null : String(broken),
      };
    } finally {
      await clients.end();
    }
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
      await refuseForgotten(client, kept);
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
    if (!parts.includes('log')) await refuseLostKeys(client, kept);
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

  async #tables(client: ClientBase, part: Exclude<BackupPart, 'log'>, kept: Kept): Promise<void> {
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
