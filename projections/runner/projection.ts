import type { Recorded } from '../../src/log/recorded.js';
import type { EventOf, EventType } from '../../src/log/registry.js';
import { VersionTooOldError } from './faults.js';
import type { TableVerification } from './verification.js';

/**
 * One write of many rows. The text names tables without a schema: they are found in the schema of the group's target.
 * Applied twice it changes nothing the second time.
 */
export interface Statement<Row extends object> {
  /** Unique within a group: `<table>.<verb>`; also the name of the prepared statement. */
  readonly name: string;
  /** Writes that name the same table and key keep their order; all others may be reordered and merged. */
  readonly table: string;
  /** SQL with one parameter, a JSON array of rows: `json_to_recordset($1)`. */
  readonly sql: string;
  /**
   * What is sent in its place while an incarnation is built: another text for the same rows, or null: nothing. What it
   * leaves out, {@link Projection.backfillSql} makes. Undefined: the same.
   */
  readonly bulkSql?: string | null;
  readonly key: (row: Row) => string;
  /** Whether the text minds several rows of one key, which then come in order. Undefined: they come one a call. */
  readonly manyOfOneKey?: boolean;
}

/** Hands a row to the unit of work. Positions go as decimal strings. */
export type Write = <Row extends object>(statement: Statement<Row>, row: Row) => void;

/** Turns one event into writes: no I/O, no clock, no state. Throwing says that the event cannot be applied. */
export type Handler<Type extends EventType> = (recorded: Recorded<EventOf<Type>>, write: Write) => void;

export type Handlers = { readonly [Type in EventType]?: Handler<Type> };

/**
 * A read model: its tables, and how events change them. Raise `version` when either does, and never lower it: the tables
 * are then built anew, or, where they are fixed, every event is applied once more over the rows that are there.
 */
export interface Projection {
  readonly name: string;
  readonly version: number;
  /** DDL, run once in an empty schema that is first in the search path. Empty where the tables live elsewhere. */
  readonly tables: string;
  /** DDL of what no statement of a build looks anything up in, most indexes: made behind all tables, in a build at its end. */
  readonly indexes?: string;
  /** SQL that makes from the loaded tables what statements leave out in a build. Run once, before the indexes are made. */
  readonly backfillSql?: string;
  readonly handlers: Handlers;
  /** What each of the tables must hold, told a second time in another way: a build is published if both agree. */
  readonly verifications?: readonly TableVerification[];
}

/** Projections that advance together: one subscription, one transaction a batch, one position. */
export interface Group {
  readonly name: string;
  readonly projections: readonly Projection[];
  /** How long events may gather at the end of the log, so that many are one transaction. Undefined: nobody may wait. */
  readonly lingerMs?: number;
}

/** What a group subscribes to: the types that any of its projections handles. */
export function typesOf(group: Group): readonly EventType[] {
  const types = group.projections.flatMap((projection) => Object.keys(projection.handlers) as EventType[]);
  return [...new Set(types)].sort();
}

/** Version of each projection by its name. */
export type Versions = Readonly<Record<string, number>>;

/** Identity of what a group builds: `{profile: 1, posts: 1}`, by name in alphabetical order. */
export function versionsOf(group: Group): Versions {
  const sorted = group.projections.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(sorted.map(({ name, version }) => [name, version]));
}

/**
 * Code that is older in any projection must not touch what newer code has made: it skips the types of events that it
 * does not know. A name that is missing counts as version 0, so a projection is given up by an operator's act, too.
 * @throws {VersionTooOldError} `own` is below `made`, which `what` names.
 */
export function refuseOlder(own: Versions, made: Versions, what: string): void {
  const below = Object.entries(made).filter(([name, version]) => (own[name] ?? 0) < version);
  if (below.length === 0) return;
  const lines = below.map(([name, version]) => `${name} ${version} (here ${own[name] ?? 'none'})`);
  throw new VersionTooOldError(`${what} is of later versions than this code: ${lines.join(', ')}`);
}

/** Hands an event to every projection of the group that handles its type. */
export function dispatch(group: Group): (recorded: Recorded, write: Write) => void {
  const byType = new Map(
    typesOf(group).map((type) => [
      type,
      group.projections.flatMap(({ handlers }) => (handlers[type] as Handler<EventType> | undefined) ?? []),
    ]),
  );
  return (recorded, write) => {
    for (const handle of byType.get(recorded.event.type) ?? []) handle(recorded, write);
  };
}
