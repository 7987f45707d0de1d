import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { readConfig } from '../../../src/base/config/config.js';
import { allPreRestoreCopies } from '../../../src/recovery/backup/restore/restore-state.js';
import { writeNewFile } from '../../../src/recovery/backup/take/durable-files.js';
import { manifestText, writePart } from '../../../src/recovery/backup/take/write-part.js';
import { openStoppedDatabases } from '../../../src/recovery/backup/restore/stopped-stores.js';
import { backupParts, BACKUP_FORMAT, MANIFEST_FILE } from '../../../src/recovery/backup/format/manifest.js';
import type { BackupManifest, BackupPart } from '../../../src/recovery/backup/format/manifest.js';
import { encodeFiles } from '../../../src/recovery/backup/format/multi-file-stream.js';
import { encodeTablesPart } from '../../../src/recovery/backup/format/part-source.js';
import { openWitness } from '../../../src/log/witness/open-witness.js';
import { createDatabase } from '../../support/postgres.js';
import type { TestPostgres } from '../../support/postgres.js';
import { makeSmallDisk } from '@plaza/event-store/testing';
import type { SmallDisk } from '@plaza/event-store/testing';
import { deletionOf } from './restrictions.js';

type Variable = 'DATABASE_URL' | 'VAULT_DATABASE_URL' | 'WITNESS_DATABASE_URL';

/** The marker of each store; null: the store is missing. */
export type Words = Readonly<Record<BackupPart, string | null>>;

export const all = (word: string): Words => ({ log: word, authority: word, vault: word, witness: word });

/** The column that holds the marker in each database. */
const places = {
  authority: {
    variable: 'DATABASE_URL',
    schema: 'authority',
    table: 'credential',
    word: 'actor_id',
    // A restore keeps credentials since the backup, so both may exist; "new" sorts before "old".
    which: 'ORDER BY actor_id LIMIT 1',
  },
  vault: {
    variable: 'VAULT_DATABASE_URL',
    schema: 'public',
    table: 'network_secret',
    word: 'name',
    which: '',
  },
  witness: {
    variable: 'WITNESS_DATABASE_URL',
    schema: 'public',
    table: 'restriction',
    word: `content #>> '{event,data,postId}'`,
    which: 'ORDER BY epoch DESC LIMIT 1',
  },
} as const satisfies Record<Exclude<BackupPart, 'log'>, object>;

const LOG = 'log';

/** A stopped network: databases with all tables, and a log directory with one file. Each store holds a marker. */
export class StoppedNetwork {
  private constructor(
    readonly dataDir: string,
    private readonly urls: Readonly<Record<Variable, string>>,
    /** The disk of the log, if it has one of its own. */
    readonly disk?: SmallDisk,
  ) {}

  /** A network with this marker in every store. `before`: its witness continues the history of that network. */
  static async of(word: string, postgres: TestPostgres, before?: StoppedNetwork): Promise<StoppedNetwork> {
    const network = new StoppedNetwork(newDataDir(word), {
      DATABASE_URL: await postgres.createDatabase(),
      VAULT_DATABASE_URL: await postgres.createDatabase(),
      WITNESS_DATABASE_URL: before
        ? await copyOf(before.urls.WITNESS_DATABASE_URL)
        : await postgres.createDatabase(),
    });
    await (await openStoppedDatabases(readConfig(network.env))).close();
    const url = network.urls.WITNESS_DATABASE_URL;
    const witness = openWitness({ url, applicationName: 'test' });
    await witness.prepare(deletionOf(word), 1);
    await witness.close();
    await network.ask(
      'VAULT_DATABASE_URL',
      `INSERT INTO network_secret (name, value) VALUES ('${word}', 'x')`,
    );
    await network.ask('DATABASE_URL', `INSERT INTO authority.credential VALUES ('${word}', 'x')`);
    return network;
  }

  /** A copy of it. */
  async copy(): Promise<StoppedNetwork> {
    return new StoppedNetwork(newDataDir(this.word()), await this.copiedDatabases());
  }

  /** A copy of it, with the log on a disk of its own that is mounted at the event store's directory. */
  async copyWithDisk(): Promise<StoppedNetwork> {
    const databases = await this.copiedDatabases();
    const dataDir = mkdtempSync(join(tmpdir(), 'plaza-stopped-'));
    const eventStore = join(dataDir, 'eventstore');
    mkdirSync(eventStore);
    const disk = makeSmallDisk(1, eventStore);
    writeFileSync(join(eventStore, LOG), this.word());
    return new StoppedNetwork(dataDir, databases, disk);
  }

  get env(): Record<string, string> {
    return { DATA_DIR: this.dataDir, ...this.urls };
  }

  /** Writes a backup into a new directory, as `plaza backup` does. */
  async backUp(dir: string): Promise<void> {
    mkdirSync(dir);
    const said = { backupId: 'backup', networkId: 'network', takenAt: new Date(0).toISOString() };
    const common = { format: BACKUP_FORMAT, version: '1.0.0', ...said } as const;
    const parts: BackupManifest['parts'] = [];
    for (const part of backupParts)
      parts.push(await writePart(dir, part, common, this.streamOf(part), () => undefined));
    await writeNewFile(join(dir, MANIFEST_FILE), manifestText({ ...common, parts }));
  }

  /** The markers of all stores. */
  async words(): Promise<Words> {
    const of = async (part: keyof typeof places) => {
      const { schema } = places[part];
      return (await this.wordsIn(part, schema)).join();
    };
    return {
      log: readLog(join(this.dataDir, 'eventstore')),
      authority: await of('authority'),
      vault: await of('vault'),
      witness: await of('witness'),
    };
  }

  /** The markers of all pre-restore copies, the oldest first. */
  async kept(): Promise<Readonly<Record<BackupPart, readonly string[]>>> {
    const kept = allPreRestoreCopies(this.dataDir);
    const of = async (part: keyof typeof places) => {
      const { variable, schema } = places[part];
      const schemas = kept.flatMap(({ databases }) => databases[variable] ?? []);
      const found: string[] = [];
      for (const each of schemas.filter((name) => name.endsWith(`_${schema}`)))
        found.push(...(await this.wordsIn(part, each)));
      return found;
    };
    return {
      log: kept.flatMap(({ log }) => readLog(log) ?? []),
      authority: await of('authority'),
      vault: await of('vault'),
      witness: await of('witness'),
    };
  }

  remove(): void {
    this.disk?.remove();
    rmSync(this.dataDir, { recursive: true });
  }

  private word(): string {
    return readLog(join(this.dataDir, 'eventstore')) ?? '';
  }

  private async copiedDatabases(): Promise<Readonly<Record<Variable, string>>> {
    const { DATABASE_URL, VAULT_DATABASE_URL, WITNESS_DATABASE_URL } = this.urls;
    return {
      DATABASE_URL: await copyOf(DATABASE_URL),
      VAULT_DATABASE_URL: await copyOf(VAULT_DATABASE_URL),
      WITNESS_DATABASE_URL: await copyOf(WITNESS_DATABASE_URL),
    };
  }

  private streamOf(part: BackupPart): AsyncIterable<Buffer> {
    const explain = (error: unknown) => String(error);
    if (part !== 'log') return encodeTablesPart(part, this.urls[places[part].variable], explain);
    const word = this.word();
    const bytes = async function* () {
      yield await Promise.resolve(Buffer.from(word));
    };
    return encodeFiles(word.length, [{ name: LOG, bytes }], () => ({}), explain);
  }

  /** The markers in a schema, if its table exists. */
  private async wordsIn(part: keyof typeof places, schema: string): Promise<readonly string[]> {
    const { variable, table, word, which } = places[part];
    const [found] = await this.ask(
      variable,
      `SELECT to_regclass('${schema}.${table}') IS NOT NULL AS is_there`,
    );
    if (found?.['is_there'] !== true) return [];
    const rows = await this.ask(variable, `SELECT ${word} AS word FROM ${schema}.${table} ${which}`);
    return rows.map((row) => String(row['word']));
  }

  private async ask(variable: Variable, sql: string): Promise<readonly Record<string, unknown>[]> {
    return onDatabase(this.urls[variable], sql);
  }
}

function newDataDir(word: string): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'plaza-stopped-'));
  mkdirSync(join(dataDir, 'eventstore'));
  writeFileSync(join(dataDir, 'eventstore', LOG), word);
  return dataDir;
}

function readLog(dir: string): string | null {
  const file = join(dir, LOG);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** Copies a database without connections. */
async function copyOf(url: string): Promise<string> {
  const server = new URL(url);
  server.pathname = 'postgres';
  return createDatabase(server.href, { template: new URL(url).pathname.slice(1) });
}

async function onDatabase(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
