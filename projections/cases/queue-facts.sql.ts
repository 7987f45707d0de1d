import { filterSql } from './queue.read-model.js';
import { countsByReason, FEWEST_REPORTS, MOST_COUNTED, newestReports } from './reports.sql.js';

/** So many reports of a case are read: the newest. */
export const NEWEST_REPORTS = 50;
/** So many by a person: a page may have thousands of reporters. */
const NEWEST_BY_PERSON = 10;
/** So many people within the window may be a brigade, if at least half of them follow another one who follows back. */
export const BRIGADE = 5;
const WINDOW_MS = 10 * 60_000;

/** By the id of the case or author. `ofAuthor`: open cases that nobody has claimed. `mine`: claims of the operator. */
export interface CaseFacts {
  readonly mine: number;
  readonly reasons: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly ofAuthor: Readonly<Record<string, number>>;
  /** Empty, unless they are asked for. `upheld`: those who reported something else that was a violation, in their newest 10. */
  readonly reporters: Readonly<Record<string, { readonly people: number; readonly upheld: number }>>;
}

/** `$1`: cases. `$2`: authors. `$3`: the cases whose reporters are asked for. `$4`: the operator. */
export const caseFactsSql = `
  WITH reporter AS MATERIALIZED (
    SELECT asked.case_id, reporter_actor_id AS actor_id FROM unnest($3::text[]) AS asked(case_id)
    CROSS JOIN LATERAL (${newestReports('reporter_actor_id', 'asked.case_id', NEWEST_REPORTS)}) report
    GROUP BY 1, 2
  ), known AS MATERIALIZED (
    SELECT actor_id, count(*) AS reports, array_agg(DISTINCT case_id) FILTER (WHERE outcome = 'violation') AS upheld
    FROM (SELECT DISTINCT actor_id FROM reporter) person CROSS JOIN LATERAL (
      SELECT case_id, outcome FROM cases.report WHERE reporter_actor_id = person.actor_id
      ORDER BY position DESC LIMIT ${NEWEST_BY_PERSON}) report
    GROUP BY actor_id
  )
  SELECT json_build_object(
    'mine', (SELECT count(*) FROM (SELECT FROM cases.summary WHERE ${filterSql.mine} AND claimed_by = $4::text LIMIT ${MOST_COUNTED}) claimed),
    'reasons', (SELECT coalesce(json_object_agg(case_id, counts) FILTER (WHERE counts IS NOT NULL), '{}') FROM (
      SELECT asked.case_id, ${countsByReason('asked.case_id')} AS counts
      FROM unnest($1::text[]) AS asked(case_id) OFFSET 0) found),
    'ofAuthor', (SELECT coalesce(json_object_agg(actor_id, count), '{}')
      FROM unnest($2::text[]) AS author(actor_id) CROSS JOIN LATERAL (
        SELECT count(*) FROM (SELECT FROM cases.summary WHERE target_actor_id = author.actor_id
          AND ${filterSql.open} LIMIT ${MOST_COUNTED}) listed) counted),
    'reporters', (SELECT coalesce(json_object_agg(case_id, counts), '{}') FROM (
      SELECT case_id, json_build_object('people', count(*), 'upheld', count(*) FILTER (
        WHERE reports >= ${FEWEST_REPORTS} AND upheld <> ARRAY[case_id])) AS counts
      FROM reporter LEFT JOIN known USING (actor_id) GROUP BY case_id) found)) AS data`;

export interface PublishedFacts {
  /** By the id of the post. */
  readonly applications: Readonly<Record<string, string>>;
  readonly brigaded: readonly string[];
}

/** `$1`: posts. `$2`: the cases that may be a brigade's. */
export const publishedFactsSql = (schema: string): string => `
  SELECT (SELECT incarnation FROM recovery.publication) AS incarnation, json_build_object(
    'applications', (SELECT coalesce(json_object_agg(id, app_id), '{}')
      FROM "${schema}".post WHERE id = ANY ($1::text[])),
    'brigaded', (SELECT coalesce(json_agg(asked.case_id), '[]')
      FROM unnest($2::text[]) AS asked(case_id) CROSS JOIN LATERAL (
        WITH report AS MATERIALIZED (${newestReports('reporter_actor_id, at', 'asked.case_id', NEWEST_REPORTS)})
        SELECT array_agg(DISTINCT reporter_actor_id) AS people FROM report CROSS JOIN (
          SELECT last.at AS until FROM report last ORDER BY (
            SELECT count(*) FROM report other WHERE other.at BETWEEN last.at - ${WINDOW_MS} AND last.at) DESC LIMIT 1) busiest
        WHERE at BETWEEN until - ${WINDOW_MS} AND until AND reporter_actor_id IS NOT NULL) burst
      WHERE cardinality(people) >= ${BRIGADE} AND cardinality(people) <= 2 * (
        SELECT count(*) FROM unnest(people) AS person(actor_id) WHERE EXISTS (
          SELECT FROM "${schema}".relation follow JOIN "${schema}".relation back
            ON back.actor_id = follow.target_id AND back.kind = 'follow' AND back.target_id = follow.actor_id
          WHERE follow.actor_id = person.actor_id AND follow.kind = 'follow' AND follow.target_id = ANY (people))))) AS data`;
