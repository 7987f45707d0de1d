import { columnsOf, fieldColumns, fieldsOf } from '../columns/columns.js';
import type { Column, ColumnType } from '../columns/columns.js';
import type { Extent } from '../data-set/extent.js';
import { eventTypes, personalFieldsOf } from '../../log/registry.js';
import type { EventType } from '../../log/registry.js';
import { named, quoted } from './sql.js';
import { answers } from './answers.js';

const sqlTypes: Readonly<Record<ColumnType, string>> = {
  integer: 'BIGINT',
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  time: 'TIMESTAMPTZ',
};

const snakeCase = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Statement of the view `events`: all rows of these files, with every column of this release, also if no file has it.
 * `paths`: of the files.
 */
export function eventsView(paths: readonly string[]): string {
  // The ciphertexts are a column in any case, so that a query may name it.
  const columns = columnsOf('encrypted').map(
    ({ name, type }: Column) => `NULL::${sqlTypes[type]} AS ${named(name)}`,
  );
  const none = `SELECT ${columns.join(', ')}, NULL::DATE AS day WHERE false`;
  if (paths.length === 0) return `CREATE VIEW events AS ${none}`;
  const files = `read_parquet([${paths.map(quoted).join(', ')}], union_by_name = true, hive_partitioning = true)`;
  return `CREATE VIEW events AS ${none} UNION ALL BY NAME SELECT * FROM ${files}`;
}

/** Statement of the view `folded`: a row a person of the events before the first file. `path`: of their file. */
export const foldedView = (path: string | undefined): string => `CREATE VIEW folded AS
  SELECT NULL::VARCHAR AS actor_id, NULL::DATE AS registered_on, NULL::VARCHAR AS app_id, false AS is_suspended,
    0::BIGINT AS standing_at, 0::BIGINT AS follows, 0::BIGINT AS likes, 0::BIGINT AS replies, NULL::VARCHAR AS grants
  WHERE false${path === undefined ? '' : ` UNION ALL BY NAME SELECT * REPLACE (registered_on::DATE AS registered_on) FROM read_parquet(${quoted(path)})`}`;

export interface Application {
  readonly appId: string;
  readonly name: string;
}

export function applicationsView(applications: readonly Application[]): string {
  const rows = applications.map(({ appId, name }) => `(${quoted(appId)}, ${quoted(name)})`);
  const none = 'SELECT NULL::VARCHAR AS app_id, NULL::VARCHAR AS name WHERE false';
  return `CREATE VIEW applications AS ${none}${rows.length > 0 ? ` UNION ALL VALUES ${rows.join(', ')}` : ''}`;
}

/** Statements of the views `data_set`, of one row, and `days`, of each of its days. */
export function extentViews({
  firstDay,
  lastDay,
  completeFrom,
  completeUntil,
  isWhole,
  isFolded,
}: Extent): readonly string[] {
  const date = (day: string | null) => (day === null ? 'NULL::DATE' : `DATE ${quoted(day)}`);
  return [
    `CREATE VIEW data_set AS SELECT ${date(firstDay)} AS first_day, ${date(lastDay)} AS last_day,
      ${date(completeFrom)} AS complete_from, make_timestamp(${completeUntil * 1_000}) AS complete_until,
      ${isWhole} AS is_whole, ${isFolded} AS is_folded`,
    `CREATE VIEW days AS SELECT unnest(generate_series(first_day, last_day, INTERVAL 1 DAY))::DATE AS day FROM data_set`,
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
];

/** Fields of a type that `events` has in its column `data` alone, and the columns of the view that have them. */
export const columnsFromData = (type: EventType) =>
  fieldsOf(type, 'data').map((field) => {
    const name = snakeCase(field);
    return { field, name: common.includes(name) ? `data_${name}` : name };
  });

/** Statement of the view of a type: `post_created` of `post.created`. */
function typeView(type: EventType): string {
  const own = fieldsOf(type, 'id', 'clear').map((field) => fieldColumns[field]?.name ?? field);
  const ciphertext = personalFieldsOf(type).length > 0 ? ['personal'] : [];
  const rest = columnsFromData(type).map(
    ({ field, name }) => `json_extract_string(data, ${quoted(`$.${field}`)}) AS ${named(name)}`,
  );
  const columns = [...[...common, ...own, ...ciphertext].map(named), ...rest];
  return `CREATE VIEW ${viewOf(type)} AS SELECT ${columns.join(', ')} FROM events WHERE type = ${quoted(type)}`;
}

export const viewOf = (type: EventType) => type.replaceAll('.', '_');

/** Statements of the views over `events` and `applications`. */
export const viewsOverEvents: readonly string[] = [
  ...Object.entries(answers).map(([name, select]) => `CREATE VIEW ${name} AS ${select}`),
  ...eventTypes.map(typeView),
];
