import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { serving } from '../../../projections/groups.js';
import { dispatcherOf } from '../../../projections/runner/projection.js';
import { asCaller } from '../../../projections/visibility.sql.js';
import { outstandingSql } from '../../../projections/outstanding.sql.js';
import type { Group, Handler } from '../../../projections/runner/projection.js';
import { scopeOf } from '../../../projections/runner/read-query.js';
import type { ReadQuery, SharedReadQuery } from '../../../projections/runner/read-query.js';
import { Settler } from '../../../projections/runner/settler.js';
import { UnitOfWork } from '../../../projections/runner/unit-of-work.js';
import type { EventMetadata, Recorded } from '../../../src/log/recorded.js';
import type { EventType, StoredEvent } from '../../../src/log/registry.js';
import { hiddenBy } from '../../../src/log/restrictions.js';
import type { RestrictionEvent } from '../../../src/log/restrictions.js';
import { Recorder } from './recorded.js';

/** The tables of all read models in a schema of their own. Tests apply events and run queries. */
export class ReadModels {
  private readonly recorder = new Recorder();
  private position = 0n;

  private constructor(
    private readonly client: Client,
    private readonly schema: string,
    private readonly group: Group,
    private readonly digestSql: string,
  ) {}

  static async open(databaseUrl: string, group = serving): Promise<ReadModels> {
    const client = new Client(databaseUrl);
    await client.connect();
    const schema = `inc_${randomBytes(6).toString('hex')}`;
    await client.query(`CREATE SCHEMA ${schema}; SET search_path = ${schema}`);
    for (const { tables } of group.projections) await client.query(tables);
    for (const { indexes } of group.projections) if (indexes) await client.query(indexes);
    await client.query(`
      CREATE SCHEMA IF NOT EXISTS recovery;
      CREATE TABLE IF NOT EXISTS recovery.incarnation (schema_name text, witness_epoch numeric NOT NULL DEFAULT 0);
      CREATE TABLE IF NOT EXISTS recovery.outstanding_restriction (event_id uuid, position numeric, subject text)`);
    await client.query('INSERT INTO recovery.incarnation (schema_name) VALUES ($1)', [schema]);
    return new ReadModels(client, schema, group, await digestSqlOf(client, schema));
  }

  async close(): Promise<void> {
    await this.client.query('DELETE FROM recovery.outstanding_restriction');
    await this.client.end();
  }

  /** Applies each event twice. Returns the position of the last. */
  async given(...events: StoredEvent[]): Promise<bigint> {
    return this.givenRecorded(...events.map((event) => this.recorder.record(event)));
  }

  /** Applies events of an erased person, which have placeholders. */
  async givenOfErasedPerson(...events: StoredEvent[]): Promise<bigint> {
    return this.givenRecorded(...events.map((event) => this.recorder.record(event, { erased: true })));
  }

  /** Applies events with this metadata, each twice. */
  async givenWithMetadata(metadata: Partial<EventMetadata>, ...events: StoredEvent[]): Promise<bigint> {
    return this.givenRecorded(...events.map((event) => this.recorder.record(event, { metadata })));
  }

  /** Applies all in one batch, twice. */
  async givenInOneBatch(...events: StoredEvent[]): Promise<void> {
    await this.applyBatch(events, 2);
  }

  /** Applies all in one batch once, as a worker does: a second time could hide what the first omitted. */
  async givenInOneBatchOnce(...events: StoredEvent[]): Promise<void> {
    await this.applyBatch(events, 1);
  }

  /** Does what batches have left behind, or the first steps of it. */
  async settle(steps = Infinity): Promise<void> {
    const settler = new Settler(this.client, this.group);
    for (let step = 0; step < steps && settler.hasWork; step++) await settler.step();
  }

  private async applyBatch(events: readonly StoredEvent[], times: number): Promise<void> {
    const recorded = events.map((event) => this.recorder.record(event));
    for (let time = 0; time < times; time++)
      await this.apply((work) => recorded.forEach((each) => dispatcherOf(this.group)(each, work.write)));
    this.position = recorded.at(-1)?.position ?? this.position;
  }

  private async givenRecorded(...events: Recorded[]): Promise<bigint> {
    for (const recorded of events) {
      await this.apply((work) => dispatcherOf(this.group)(recorded, work.write));
      const once = await this.digest();
      await this.apply((work) => dispatcherOf(this.group)(recorded, work.write));
      if ((await this.digest()) !== once)
        throw new Error(`${recorded.event.type} changes something the second time`);
      this.position = recorded.position;
    }
    return this.position;
  }

  /** Gives a handler an event of another type. Its writes must be refused or change nothing. */
  async giveToHandler(handler: Handler<never>, event: StoredEvent): Promise<'refused' | 'same' | 'changed'> {
    const recorded = this.recorder.record(event) as Recorded<never>;
    let writes = 0;
    try {
      handler(recorded, () => (writes += 1));
    } catch {
      return 'refused';
    }
    if (writes === 0) return 'same';
    const before = await this.digest();
    try {
      await this.apply((work) => handler(recorded, work.write));
    } catch {
      return 'refused';
    }
    return before === (await this.digest()) ? 'same' : 'changed';
  }

  /** The result of a query, embedded as in a protected read. `as`: the caller; null: anonymous. */
  async ask<Args, Result>(
    query: ReadQuery<Args, Result>,
    args: Args,
    as: string | null = null,
    cursorsValidFrom = 0n,
  ): Promise<Result> {
    const text = `
      WITH state AS (
          SELECT $1::numeric AS applied_position, $3::numeric AS cursors_valid_from, outstanding.hidden
          FROM (${outstandingSql(this.schema)}) outstanding),
        caller AS (${asCaller(this.schema, `SELECT $2::text AS actor_id, 'app'::text AS app_id`)})
      SELECT ${query.sql(scopeOf(this.schema, 3))} AS data FROM state CROSS JOIN caller`;
    const position = this.position === 0n ? null : String(this.position);
    const { rows } = await this.client.query<{ data: unknown }>({
      // Prepared as in production: planning the larger queries takes longer than executing them.
      name: createHash('sha256').update(text).digest('base64url'),
      text,
      values: [position, as, String(cursorsValidFrom), ...query.values(args)],
    });
    return query.present(rows[0]?.data);
  }

  /** The results for many callers, each after their cursor, embedded as in a shared read. */
  async askAll<Args, Result>(
    query: SharedReadQuery<Args, Result>,
    args: Args,
    callers: readonly { readonly as: string | null; readonly cursor: number }[],
  ): Promise<readonly Result[]> {
    const text = `
      WITH state AS MATERIALIZED (
          SELECT $1::numeric AS applied_position, 0::numeric AS cursors_valid_from, outstanding.hidden
          FROM (${outstandingSql(this.schema)}) outstanding),
        caller AS MATERIALIZED (
          ${asCaller(this.schema, 'SELECT * FROM unnest($2::text[], $3::numeric[]) WITH ORDINALITY AS asked(actor_id, cursor, n)')})
      SELECT answer.data FROM ${query.sql(scopeOf(this.schema, 3))} answer ORDER BY answer.n`;
    const { rows } = await this.client.query<{ data: unknown }>({
      name: createHash('sha256').update(text).digest('base64url'),
      text,
      values: [
        this.position === 0n ? null : String(this.position),
        callers.map(({ as }) => as),
        callers.map(({ cursor }) => cursor),
        ...query.values(args),
      ],
    });
    return rows.map(({ data }) => query.present(data));
  }

  private async apply(collect: (work: UnitOfWork) => void): Promise<void> {
    const work = new UnitOfWork();
    collect(work);
    await this.client.query('BEGIN');
    try {
      await work.flush(this.client);
      await this.client.query('COMMIT');
    } catch (error) {
      await this.client.query('ROLLBACK');
      throw error;
    }
  }

  /** Adds rows for restrictions that are acknowledged but not applied. */
  async addOutstanding(...events: RestrictionEvent[]): Promise<void> {
    for (const event of events)
      await this.client.query(
        'INSERT INTO recovery.outstanding_restriction VALUES (gen_random_uuid(), 1, $1)',
        [hiddenBy(event)],
      );
  }

  /** Makes each row one of an applied restriction, as if it had been added late. */
  async markOutstandingAsApplied(): Promise<void> {
    await this.client.query(
      `UPDATE recovery.outstanding_restriction SET event_id = (SELECT event_id FROM restriction LIMIT 1)`,
    );
  }

  /** The number of applied restrictions that the incarnation records. */
  async witnessEpoch(): Promise<number> {
    const { rows } = await this.client.query<{ witness_epoch: string }>(
      'SELECT witness_epoch FROM recovery.incarnation WHERE schema_name = $1',
      [this.schema],
    );
    return Number(rows[0]?.witness_epoch);
  }

  /** The number of rows of a table that meet an SQL condition. */
  async count(table: string, condition: string): Promise<number> {
    const { rows } = await this.client.query<{ count: string }>(
      `SELECT count(*) FROM ${this.schema}.${table} WHERE ${condition}`,
    );
    return Number(rows[0]?.count);
  }

  /** The content of every table, its rows as JSON. */
  async digest(): Promise<string> {
    // Prepared, since most tests ask for it twice an event, and to plan it takes longer than to run it.
    const { rows } = await this.client.query<{ content: string }>({ name: 'digest', text: this.digestSql });
    return rows[0]?.content ?? '';
  }
}

async function digestSqlOf(client: Client, schema: string): Promise<string> {
  const { rows } = await client.query<{ tablename: string }>(
    'SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY tablename',
    [schema],
  );
  const contents = rows.map(
    ({ tablename }) =>
      `'${tablename}:' || coalesce((SELECT string_agg(row_to_json(t)::text, ' ' ORDER BY t::text) FROM ${schema}.${tablename} t), '')`,
  );
  return `SELECT ${contents.join(' || ')} AS content`;
}

/** One event of every type. */
export function oneOfEach(some: {
  readonly [name: string]: (id: string) => StoredEvent;
}): Map<EventType, StoredEvent> {
  return new Map(Object.values(some).map((make) => [make('x1').type, make('x1')]));
}
