import type { Recorded } from '../../src/log/recorded.js';
import type { EventOf, EventType } from '../../src/log/registry.js';
import { VersionTooOldError } from './faults.js';
import type { TableVerification } from './verification.js';

/**
 * One idempotent write of many rows. `sql` takes a JSON array of rows as its only parameter: `json_to_recordset($1)`.
 * It names tables without a schema: the search path selects the schema of the target.
 */
export interface Statement<Row extends object> {
  readonly name: string;
  /** Writes to the same table and key keep their order. All other writes may be reordered and merged. */
  readonly table: string;
  readonly sql: string;
  /**
   * Replaces `sql` while an incarnation is built. Null: nothing is sent, and {@link Projection.backfillSql} derives the
   * rows. Undefined: `sql` is sent.
   */
  readonly bulkSql?: string | null;
  readonly key: (row: Row) => string;
  /** True: `sql` handles several rows of one key, in order. Undefined: each call has at most one row a key. */
  readonly manyOfOneKey?: boolean;
}

/** Adds a row to the unit of work. Positions are decimal strings. */
export type Write = <Row extends object>(statement: Statement<Row>, row: Row) => void;

/** Turns one event into writes, without I/O, clock or state. An exception marks the event as a poison event. */
export type Handler<Type extends EventType> = (recorded: Recorded<EventOf<Type>>, write: Write) => void;

export type Handlers = { readonly [Type in EventType]?: Handler<Type> };

/**
 * Work that would hold a batch for long, such as a change in a row for each follower of an account. Reads must show the
 * same before, between and after its steps.
 */
export interface Settling {
  readonly name: string;
  /** Events that leave such work behind. */
  readonly after: readonly EventType[];
  /** Does a bounded part. Its only row says in `more` whether there may be another. */
  readonly sql: string;
}

/**
 * A read model: its tables, and its handlers of events. Raise `version` when tables or handlers change, and never lower
 * it. The tables are then rebuilt; in a fixed schema, every event is applied again over the existing rows.
 */
export interface Projection {
  readonly name: string;
  readonly version: number;
  readonly tables: string;
  /** DDL that no statement of a build needs, such as most indexes. A build runs it at its end. */
  readonly indexes?: string;
  /**
   * Derives from the loaded tables the rows that statements with a null `bulkSql` omit. Runs once in a build, before
   * `indexes`.
   */
  readonly backfillSql?: string;
  readonly settling?: Settling;
  readonly handlers: Handlers;
  readonly verifications?: readonly TableVerification[];
}

export interface Group {
  readonly name: string;
  readonly projections: readonly Projection[];
  /** Milliseconds after a batch at the end of the log, in which the events of the next one gather. */
  readonly lingerMs?: number;
  /** Least events of a batch that is followed by `lingerMs`. Undefined: 1. */
  readonly lingersAfter?: number;
}

export function eventTypesOf(group: Group): readonly EventType[] {
  const types = group.projections.flatMap((projection) => Object.keys(projection.handlers) as EventType[]);
  return [...new Set(types)].sort();
}

export type Versions = Readonly<Record<string, number>>;

export function versionsOf(group: Group): Versions {
  const sorted = group.projections.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(sorted.map(({ name, version }) => [name, version]));
}

/**
 * Refuses code that is older in any projection: it would skip event types that it does not know. A projection that the
 * code lacks counts as version 0, so that only an operator can give one up.
 * @throws {VersionTooOldError} A version in `own` is below the one in `existing`. `subject` names the tables in the
 * message.
 */
export function rejectOlderVersions(own: Versions, existing: Versions, subject: string): void {
  const below = Object.entries(existing).filter(([name, version]) => (own[name] ?? 0) < version);
  if (below.length === 0) return;
  const lines = below.map(([name, version]) => `${name} ${version} (here ${own[name] ?? 'none'})`);
  throw new VersionTooOldError(
    `${subject} is of later versions than this code: ${lines.join(', ')}. Run that release or a later one.`,
  );
}

export function dispatcherOf(group: Group): (recorded: Recorded, write: Write) => void {
  const byType = new Map(
    eventTypesOf(group).map((type) => [
      type,
      group.projections.flatMap(({ handlers }) => (handlers[type] as Handler<EventType> | undefined) ?? []),
    ]),
  );
  return (recorded, write) => {
    for (const handle of byType.get(recorded.event.type) ?? []) handle(recorded, write);
  };
}
