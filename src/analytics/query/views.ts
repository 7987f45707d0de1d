import { allColumns, fieldColumns, fieldsOf, operatorColumn, shapeOf } from '../columns/columns.js';
import type { Column, ColumnType } from '../columns/columns.js';
import { extentOf } from '../data-set/extent.js';
import type { Extent } from '../data-set/extent.js';
import { namedApplications, peopleFileOf } from '../data-set/state.js';
import type { State } from '../data-set/state.js';
import { eventTypes, personalFieldsOf } from '../../log/registry.js';
import type { EventType } from '../../log/registry.js';
import { named, quoted, utc } from './sql.js';
import { answers } from './answers.js';

export interface View {
  readonly name: string;
  readonly select: string;
}

/**
 * All views of a commit, each after those that it reads. `root`: place of the data set. `caughtUp`: the
 * newest moment at which the data set had every event of the log, in Unix milliseconds; undefined: nobody knows.
 */
export function viewsOf(state: State, root: string, caughtUp: number | undefined): readonly View[] {
  const people = peopleFileOf(state);
  const pathOf = (file: { readonly path: string }) => `${root}/${file.path}`;
  return [
    { name: 'events', select: eventsSelect(state.files.map(pathOf), state.shape === shapeOf(state)) },
    { name: 'folded', select: foldedSelect(people && pathOf(people)) },
    { name: 'applications', select: applicationsSelect(namedApplications(state)) },
    ...extentViews(extentOf(state, caughtUp)),
    ...Object.entries(answers).map(([name, select]) => ({ name, select })),
    ...eventTypes.map(typeView),
  ];
}

const sqlTypes: Readonly<Record<ColumnType, string>> = {
  integer: 'BIGINT',
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  time: 'TIMESTAMPTZ',
};

const snakeCase = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `isUniform`: all files have the same columns, so that DuckDB need not compare them for each statement. */
function eventsSelect(paths: readonly string[], isUniform: boolean): string {
  // The ciphertexts are a column in any case, so that a query may name it.
  const columns = allColumns.map(({ name, type }: Column) => `NULL::${sqlTypes[type]} AS ${named(name)}`);
  const none = `SELECT ${columns.join(', ')}, NULL::DATE AS day WHERE false`;
  if (paths.length === 0) return none;
  const files = (options: string) =>
    `read_parquet([${paths.map(quoted).join(', ')}], union_by_name = ${!isUniform}, ${options})`;
  // Another folder `column=value` above would replace that column.
  const isAlone = paths.every((path) => path.split('=').length === 2);
  if (isAlone) return `${none} UNION ALL BY NAME SELECT * FROM ${files('hive_partitioning = true')}`;
  return `${none} UNION ALL BY NAME SELECT *, ${utc('occurred_at')}::DATE AS day FROM ${files('hive_partitioning = false')}`;
}

function foldedSelect(path: string | undefined): string {
  const none = `
    SELECT NULL::VARCHAR AS actor_id, NULL::DATE AS registered_on, NULL::VARCHAR AS app_id, false AS is_suspended,
      0::BIGINT AS standing_at, 0::BIGINT AS follows, 0::BIGINT AS likes, 0::BIGINT AS replies, NULL::VARCHAR AS grants
    WHERE false`;
  if (path === undefined) return none;
  return `${none}
    UNION ALL BY NAME SELECT * REPLACE (registered_on::DATE AS registered_on) FROM read_parquet(${quoted(path)})`;
}

function applicationsSelect(applications: State['applications']): string {
  const rows = applications.map(({ appId, name }) => `(${quoted(appId)}, ${quoted(name)})`);
  const none = 'SELECT NULL::VARCHAR AS app_id, NULL::VARCHAR AS name WHERE false';
  return `${none}${rows.length > 0 ? ` UNION ALL VALUES ${rows.join(', ')}` : ''}`;
}

function extentViews({ firstDay, lastDay, ...rest }: Extent): readonly View[] {
  const date = (day: string | null) => (day === null ? 'NULL::DATE' : `DATE ${quoted(day)}`);
  return [
    {
      name: 'data_set',
      select: `SELECT ${date(firstDay)} AS first_day, ${date(lastDay)} AS last_day,
      ${date(rest.completeFrom)} AS complete_from, make_timestamp(${rest.completeUntil * 1_000}) AS complete_until,
      ${rest.isWhole} AS is_whole, ${rest.isFolded} AS is_folded, ${rest.isCaughtUp} AS is_caught_up`,
    },
    {
      name: 'days',
      select: `SELECT unnest(generate_series(first_day, last_day, INTERVAL 1 DAY))::DATE AS day FROM data_set`,
    },
  ];
}

/** Columns of every view of a type. */
const common = [
  'position',
  'event_id',
  'type',
  'occurred_at',
  'day',
  'by_actor_id',
  'by_app_id',
  'by_grant_id',
  'by_operator',
  operatorColumn.name,
];

/** Fields of a type that `events` has in its column `data` alone, and the columns of the view that have them. */
export const columnsFromData = (type: EventType) =>
  fieldsOf(type, 'data').map((field) => {
    const name = snakeCase(field);
    return { field, name: common.includes(name) ? `data_${name}` : name };
  });

function typeView(type: EventType): View {
  const own = fieldsOf(type, 'id', 'clear').map((field) => fieldColumns[field]?.name ?? field);
  const ciphertext = personalFieldsOf(type).length > 0 ? ['personal'] : [];
  const rest = columnsFromData(type).map(
    ({ field, name }) => `json_extract_string(data, ${quoted(`$.${field}`)}) AS ${named(name)}`,
  );
  const columns = [...[...common, ...own, ...ciphertext].map(named), ...rest];
  return {
    name: viewOf(type),
    select: `SELECT ${columns.join(', ')} FROM events WHERE type = ${quoted(type)}`,
  };
}

export const viewOf = (type: EventType) => type.replaceAll('.', '_');
