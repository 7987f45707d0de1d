import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { readConfig } from '../../../src/config/config.js';
import { allPreRestoreCopies } from '../../../src/backup/restore/restore-state.js';
import { writeNewFile } from '../../../src/backup/take/durable-files.js';
import { manifestText, writePart } from '../../../src/backup/take/write-part.js';
import { openStoppedStores } from '../../../src/backup/restore/stopped-stores.js';
import { backupParts, FORMAT, MANIFEST } from '../../../src/backup/format/manifest.js';
import type { BackupManifest, BackupPart } from '../../../src/backup/format/manifest.js';
import { encodeFiles } from '../../../src/backup/format/multi-file-stream.js';
import { tablesPart } from '../../../src/backup/format/part-source.js';
import { openWitness } from '../../../src/witness/open-witness.js';
import type { TestPostgres } from '../../support/postgres.js';
import { makeSmallDisk } from '../../support/small-disk.js';
import type { SmallDisk } from '../../support/small-disk.js';
import { deletionOf } from './restrictions.js';

type Variable = 'DATABASE_URL' | 'VAULT_DATABASE_URL' | 'WITNESS_DATABASE_URL';

/** Which word was put into each store of a network; null: the store is not there. */
export type Words = Readonly<Record<BackupPart, string | null>>;

export const all = (word: string): Words => ({ log: word, authority: word, vault: word, witness: word });

/** Where the word of each part is that is in a database: of the table `name` in a schema. */
const places = {
  authority: {
    variable: 'DATABASE_URL',
    schema: 'authority',
    table: 'credential',
    word: 'actor_id',
    // Whoever signed up since the backup keeps the password: then both are there, of which "new" comes before "old".
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

/** A network that does not run: its databases, with all their tables, and a directory with a log that only a test reads. */
export class StoppedNetwork {
  private constructor(
    readonly dataDir: string,
    private readonly urls: Readonly<Record<Variable, string>>,
    /** Where the log is on a disk of its own. */
    readonly disk?: SmallDisk,
  ) {}

  /** One with that word in each of its stores. `before`: what its witness knows, too. */
  static async of(word: string, postgres: TestPostgres, before?: StoppedNetwork): Promise<StoppedNetwork> {
    const network = new StoppedNetwork(newDataDir(word), {
      DATABASE_URL: await postgres.createDatabase(),
      VAULT_DATABASE_URL: await postgres.createDatabase(),
      WITNESS_DATABASE_URL: before
        ? await copyOf(before.urls.WITNESS_DATABASE_URL)
        : await postgres.createDatabase(),
    });
    await (await openStoppedStores(readConfig(network.env))).close();
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

  /** Another one that has the same. */
  async copy(): Promise<StoppedNetwork> {
    return new StoppedNetwork(newDataDir(this.word()), await this.copiedDatabases());
  }

  /** Another one that has the same, with its log on a disk of its own, mounted on the event store's directory. */
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

  /** As `plaza backup` writes it, into a directory that is not there. */
  async backUp(dir: string): Promise<void> {
    mkdirSync(dir);
    const said = { backupId: 'backup', networkId: 'network', takenAt: new Date(0).toISOString() };
    const common = { format: FORMAT, version: '1.0.0', ...said } as const;
    const parts: BackupManifest['parts'] = [];
    for (const part of backupParts)
      parts.push(await writePart(dir, part, common, this.streamOf(part), () => undefined));
    await writeNewFile(join(dir, MANIFEST), manifestText({ ...common, parts }));
  }

  /** What it has. */
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

  /** What restores have kept aside, the oldest first. */
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
    if (part !== 'log') return tablesPart(part, this.urls[places[part].variable], explain);
    const word = this.word();
    const bytes = async function* () {
      yield await Promise.resolve(Buffer.from(word));
    };
    return encodeFiles(word.length, [{ name: LOG, bytes }], () => ({}), explain);
  }

  /** In that table of a schema, if it is there. */
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

/** Of a database to which nobody is connected. */
async function copyOf(url: string): Promise<string> {
  const [copy, server] = [new URL(url), new URL(url)];
  copy.pathname = `copy_${randomBytes(6).toString('hex')}`;
  server.pathname = 'postgres';
  await onDatabase(
    server.href,
    `CREATE DATABASE ${copy.pathname.slice(1)} TEMPLATE ${new URL(url).pathname.slice(1)}`,
  );
  return copy.href;
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
