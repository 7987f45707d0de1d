import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { Failure } from '../../base/terminal/failure.js';
import { newestNumber, requireState } from '../data-set/commits.js';
import { faultOf } from '../data-set/verify.js';
import { filesOf } from '../data-set/state.js';
import type { State } from '../data-set/state.js';
import { loadDuckDb } from './duckdb.js';
import { quoted } from './sql.js';
import { requireIntact } from '../data-set/outside-pages.js';
import { wasChanged } from '../data-set/parquet.js';
import { readCompleteUntil } from '../data-set/complete-until.js';
import { openSpill } from './spill.js';
import { viewsOf } from './views.js';

/** A compaction may remove files that a query is about to read. */
const ATTEMPTS = 5;

export interface Views {
  /** The commit that statements read: the newest when the views were opened, or of a later one if a compaction removed its files. */
  readonly state: State;
  /** Reads the newest commit from now on. */
  refresh(): Promise<void>;
  /** Runs one SELECT. @throws {Failure} another statement, or an error of the statement. */
  query<Result>(sql: string, use: (result: DuckDBResult) => Promise<Result>): Promise<Result>;
  /** Writes the rows of one SELECT to the existing file that {@link openViews} got. */
  writeParquet(sql: string, file: string): Promise<void>;
  close(): void;
}

export interface ViewOptions {
  readonly writable?: string | undefined;
  readonly memory?: number | undefined;
}

/**
 * Opens the files of the newest commit. Statements can read these files and nothing else, and write only `writable`.
 * @throws {Failure} the directory is no data set, or DuckDB is not installed.
 */
export async function openViews(dir: string, { writable, memory }: ViewOptions = {}): Promise<Views> {
  const duckDb = await loadDuckDb();
  requireState(dir);
  const spill = openSpill(dir, memory);
  const connect = () => connectToNewest(duckDb, dir, { settings: spill.settings, writable });
  let connection = await connect().catch((error: unknown) => {
    spill.remove();
    throw error;
  });
  const reconnect = async (): Promise<void> => {
    // Both would spill to files of the same names.
    connection.close();
    connection = await connect();
  };
  const runSelect = async <Result>(
    sql: string,
    run: (connection: DuckDBConnection) => Promise<Result>,
  ): Promise<Result> => {
    for (let attempt = 1; ; attempt += 1) {
      const { duck, state } = connection;
      try {
        await requireSelect(duckDb, duck, sql);
        return await run(duck);
      } catch (error) {
        if (error instanceof Failure) throw error;
        if (attempt === ATTEMPTS || requireState(dir).number === state.number)
          throw await failureOf(dir, state, error);
        await reconnect();
      }
    }
  };
  return {
    query: (sql, use) => runSelect(sql, (duck) => duck.run(sql)).then(use),
    writeParquet: (sql, file) =>
      runSelect(sql, async (duck) => {
        const options = '(FORMAT parquet, USE_TMP_FILE false)';
        await duck.run(`COPY (FROM query(${quoted(sql)})) TO ${quoted(file)} ${options}`);
      }),
    get state() {
      return connection.state;
    },
    async refresh() {
      if (connection.newest !== newestNumber(dir)) await reconnect();
    },
    close: () => {
      connection.close();
      spill.remove();
    },
  };
}

interface Connection {
  readonly duck: DuckDBConnection;
  readonly state: State;
  /** Number of the newest commit, which may be a damaged one. */
  readonly newest: number | undefined;
  close(): void;
}

type DuckDb = Awaited<ReturnType<typeof loadDuckDb>>;

interface ConnectOptions extends Pick<ViewOptions, 'writable'> {
  readonly settings: readonly string[];
}

/** A view reads the head of each file when it is made, so a compaction may interrupt that, too. */
async function connectToNewest(duckDb: DuckDb, dir: string, options: ConnectOptions): Promise<Connection> {
  for (let attempt = 1; ; attempt += 1) {
    // Before the commit is read: one that comes meanwhile is newer.
    const newest = newestNumber(dir);
    const state = requireState(dir);
    try {
      return { ...(await connect(duckDb, dir, state, options)), newest };
    } catch (error) {
      if (attempt === ATTEMPTS || requireState(dir).number === state.number) throw explained(error);
    }
  }
}

async function connect(
  { DuckDBInstance }: DuckDb,
  dir: string,
  state: State,
  { settings, writable }: ConnectOptions,
): Promise<Omit<Connection, 'newest'>> {
  const named = filesOf(state);
  const paths = named.map(({ path }) => join(dir, path));
  const views = viewsOf(state, dir, readCompleteUntil(dir, state));
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new Error(`${missing} is missing; see plaza analytics verify ${dir}`);
  for (const file of named) requireIntact(dir, file);
  const instance = await DuckDBInstance.create(':memory:');
  const duck = await instance.connect();
  const close = () => {
    duck.closeSync();
    instance.closeSync();
  };
  const allowed = [...paths, ...(writable === undefined ? [] : [writable])];
  try {
    for (const statement of [
      `SET allowed_paths = [${allowed.map(quoted).join(', ')}]`,
      "SET TimeZone = 'UTC'",
      'SET parquet_metadata_cache = true',
      ...settings,
      'SET enable_external_access = false',
      'SET lock_configuration = true',
      ...views.map(({ name, select }) => `CREATE VIEW ${name} AS ${select}`),
    ])
      await duck.run(statement);
  } catch (error) {
    close();
    throw error;
  }
  return { duck, state, close };
}

/** COPY could replace an allowed file. */
async function requireSelect({ StatementType }: DuckDb, duck: DuckDBConnection, sql: string): Promise<void> {
  const refusal = new Failure('a query is one SELECT statement');
  const statements = await duck.extractStatements(sql).catch((error: unknown) => {
    // Its answer to a text without a statement.
    if (firstLines(error) === 'Error in native callback') throw refusal;
    throw error;
  });
  if (statements.count !== 1) throw refusal;
  const { statementType } = await statements.prepare(0);
  if (statementType !== StatementType.SELECT) throw refusal;
}

/** DuckDB names no file. */
async function failureOf(dir: string, state: State, cause: unknown): Promise<Failure> {
  if (/zstd|decompress/i.test(firstLines(cause)))
    for (const file of filesOf(state))
      if ((await faultOf(dir, file)) !== undefined) return wasChanged(file.path, { cause });
  return explained(cause);
}

function explained(cause: unknown): Failure {
  const said = firstLines(cause);
  // DuckDB advises settings that nobody can reach here.
  const isTooLarge = said.startsWith('Out of Memory Error');
  return new Failure(
    isTooLarge
      ? 'the query needs more than its memory and the disk below DIR/spill: name a larger --memory, free space, or ask for less'
      : said,
    { cause },
  );
}

const firstLines = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n').slice(0, 3).join(' ').trim();
