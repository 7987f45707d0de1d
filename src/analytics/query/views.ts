import { columnsOf, fieldColumns, fieldsOf } from '../columns/columns.js';
import type { Column, ColumnType } from '../columns/columns.js';
import { eventTypes } from '../../log/registry.js';
import type { EventType } from '../../log/registry.js';

const sqlTypes: Readonly<Record<ColumnType, string>> = {
  integer: 'BIGINT',
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  time: 'TIMESTAMPTZ',
};

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const named = (name: string) => `"${name}"`;
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

export interface Application {
  readonly appId: string;
  readonly name: string;
}

export function applicationsView(applications: readonly Application[]): string {
  const rows = applications.map(({ appId, name }) => `(${quoted(appId)}, ${quoted(name)})`);
  const none = 'SELECT NULL::VARCHAR AS app_id, NULL::VARCHAR AS name WHERE false';
  return `CREATE VIEW applications AS ${none}${rows.length > 0 ? ` UNION ALL VALUES ${rows.join(', ')}` : ''}`;
}

/** Statement of the view of a type: `post_created` of `post.created`. */
function typeView(type: EventType): string {
  const common = [
    'position',
    'event_id',
    'occurred_at',
    'day',
    'by_actor_id',
    'by_app_id',
    'by_grant_id',
    'by_operator',
  ];
  const own = fieldsOf(type, 'id', 'clear').map((field) => fieldColumns[field]?.name ?? field);
  const rest = fieldsOf(type, 'data').map(
    (field) => `json_extract_string(data, ${quoted(`$.${field}`)}) AS ${named(snakeCase(field))}`,
  );
  const columns = [...[...common, ...own].map(named), ...rest];
  return `CREATE VIEW ${viewOf(type)} AS SELECT ${columns.join(', ')} FROM events WHERE type = ${quoted(type)}`;
}

const viewOf = (type: EventType) => type.replaceAll('.', '_');

const answers: Readonly<Record<string, string>> = {
  daily_active: `
    SELECT day, count(DISTINCT by_actor_id) AS actors
    FROM events WHERE by_actor_id IS NOT NULL GROUP BY day`,
  retention: `
    WITH person AS (
      SELECT actor_id, date_trunc('week', day)::DATE AS cohort FROM events WHERE type = 'account.registered'),
    active AS (
      SELECT DISTINCT by_actor_id AS actor_id, date_trunc('week', day)::DATE AS week
      FROM events WHERE by_actor_id IS NOT NULL),
    week AS (SELECT DISTINCT week FROM active)
    SELECT cohort, (week.week - cohort) // 7 AS weeks_later, count(*) AS people, count(active.actor_id) AS active,
      count(active.actor_id) / count(*) AS share
    FROM person JOIN week ON week.week >= cohort
      LEFT JOIN active ON active.actor_id = person.actor_id AND active.week = week.week
    GROUP BY cohort, week.week`,
  posts_per_app: `
    SELECT day, app_id, name AS app, count(*) AS posts, count(DISTINCT author_actor_id) AS authors
    FROM events LEFT JOIN applications USING (app_id) WHERE type = 'post.created' GROUP BY day, app_id, name`,
  grant_churn: `
    WITH changed AS (
      SELECT day, app_id, count(*) FILTER (type = 'grant.issued') AS issued,
        count(*) FILTER (type = 'grant.revoked') AS revoked
      FROM events WHERE type IN ('grant.issued', 'grant.revoked') GROUP BY day, app_id),
    summed AS (
      SELECT *, sum(issued - revoked) OVER (PARTITION BY app_id ORDER BY day)::BIGINT AS active FROM changed)
    SELECT day, app_id, name AS app, issued, revoked, active,
      revoked / nullif(active - issued + revoked, 0) AS churn
    FROM summed LEFT JOIN applications USING (app_id)`,
  app_impact: `
    SELECT by_app_id AS app_id, name AS app, date_trunc('hour', occurred_at) AS hour, type, count(*) AS events,
      count(DISTINCT by_actor_id) AS actors
    FROM events LEFT JOIN applications ON applications.app_id = by_app_id
    WHERE by_app_id IS NOT NULL GROUP BY by_app_id, name, hour, type`,
};

/** Statements of the views over `events` and `applications`. */
export const derivedViews: readonly string[] = [
  ...Object.entries(answers).map(([name, select]) => `CREATE VIEW ${name} AS ${select}`),
  ...eventTypes.map(typeView),
];
