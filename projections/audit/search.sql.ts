import type { Parameters } from '../runner/parameters.js';
import { isReason, REASON, reasonsThatBegin } from './reasons.sql.js';
import type { ReasonCondition } from './reasons.sql.js';
import type { AuditSubject, SubjectKind } from './subject.js';

/**
 * All conditions must hold. `since` and `until`: Unix milliseconds, inclusive and exclusive. `types`: one of them.
 * `request`: a secret or a public id of a request. `reason`: see reasons.sql.ts.
 */
export interface AuditSearch {
  readonly about?: readonly AuditSubject[];
  readonly types?: readonly string[] | undefined;
  readonly request?: string | undefined;
  readonly intent?: string | undefined;
  readonly reason?: ReasonCondition | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** The last event of a page of a search. The next page has what is older. */
export interface AuditCursor {
  readonly at: number;
  readonly position: bigint;
}

/** The events that meet one condition of a search, newest first, from an index that has this order. */
export interface EventList {
  readonly kind: SubjectKind | 'types' | 'request' | 'intent' | 'reason' | 'all';
  /** SQL of at most `limit` rows of `at` and `position`. `window`: a condition on both columns. */
  newest(window: string, limit: number, parameters: Parameters): string;
  /** A condition on a candidate and its event; undefined: the list has every event. */
  readonly filter?: (parameters: Parameters) => EventFilter;
}

/** `join`: to `candidate`, before its event is read. `where`: on `event`. */
export interface EventFilter {
  readonly join?: string;
  readonly where?: string;
}

const ORDER = 'ORDER BY at DESC, position DESC';

/**
 * SQL of the window of a search, and of the place of its page, as a range of (at, position). Each index of a list ends
 * with both, so a time is exact without a search for its position.
 */
export function windowOf(
  { since, until }: AuditSearch,
  before: AuditCursor | undefined,
  parameters: Parameters,
): string {
  const end = until === undefined || (before && before.at < until) ? before : { at: until, position: 0n };
  const conditions = [
    ...(since === undefined ? [] : [`at >= ${parameters.add(since)}::bigint`]),
    ...(end
      ? [
          `(at, position) < (${parameters.add(end.at)}::bigint, ${parameters.add(String(end.position))}::numeric)`,
        ]
      : []),
  ];
  return conditions.length === 0 ? 'true' : conditions.join(' AND ');
}

const ofEvent = (condition: string, window: string, limit: number): string =>
  `SELECT at, position FROM audit.event WHERE ${condition} AND ${window} ${ORDER} LIMIT ${limit}`;

const everything: EventList = {
  kind: 'all',
  newest: (window, limit) => ofEvent('true', window, limit),
};

export const aboutList = ({ kind, id }: AuditSubject): EventList => ({
  kind,
  newest: (window, limit, parameters) => `
    SELECT at, position FROM audit.about
    WHERE kind = '${kind}' AND id = ${parameters.add(id)} AND ${window} ${ORDER} LIMIT ${limit}`,
  filter: (parameters) => ({
    // The limit keeps Postgres from joining the whole list.
    join: `CROSS JOIN LATERAL (
      SELECT FROM audit.about WHERE kind = '${kind}' AND id = ${parameters.add(id)}
        AND about.at = candidate.at AND about.position = candidate.position LIMIT 1
    ) AS about_${parameters.values.length}`,
  }),
});

const typesList = (types: readonly string[]): EventList => ({
  kind: 'types',
  newest: (window, limit, parameters) => `
    SELECT at, position FROM unnest(${parameters.add(types)}::text[]) AS wanted(name)
      CROSS JOIN LATERAL (${ofEvent('type = wanted.name', window, limit)}) AS of_type
    ${ORDER} LIMIT ${limit}`,
  filter: (parameters) => ({ where: `event.type = ANY (${parameters.add(types)}::text[])` }),
});

const requestList = (id: string): EventList => ({
  kind: 'request',
  newest(window, limit, parameters) {
    const request = parameters.add(id);
    return `
    SELECT at, position FROM (
      (${ofEvent(`request_id = ${request}`, window, limit)})
      UNION (${ofEvent(`client_request_id = ${request}`, window, limit)})
    ) AS either ${ORDER} LIMIT ${limit}`;
  },
  filter(parameters) {
    const request = parameters.add(id);
    return { where: `(event.request_id = ${request} OR event.client_request_id = ${request})` };
  },
});

const intentList = (id: string): EventList => ({
  kind: 'intent',
  newest: (window, limit, parameters) => ofEvent(`intent_id = ${parameters.add(id)}`, window, limit),
  filter: (parameters) => ({ where: `event.intent_id = ${parameters.add(id)}` }),
});

const reasonList = (reason: ReasonCondition): EventList => ({
  kind: 'reason',
  newest(window, limit, parameters) {
    const whole = (text: string) => ofEvent(`${REASON} = ${text}`, window, limit);
    if (!reason.isBegin) return whole(parameters.add(reason.text));
    return `SELECT at, position FROM (${reasonsThatBegin(reason.text, parameters)}) AS wanted
      CROSS JOIN LATERAL (${whole('wanted.reason')}) AS of_reason
    ${ORDER} LIMIT ${limit}`;
  },
  filter: (parameters) => ({ where: isReason(reason, parameters) }),
});

/** The lists whose events are in the result if they are in all of them; the shorter ones first, as a rule. */
export function listsOf({ about = [], types, request, intent, reason }: AuditSearch): readonly EventList[] {
  const ranks: readonly SubjectKind[] = ['post', 'grant', 'operator', 'claimed', 'actor', 'app'];
  const subjects = about.toSorted((a, b) => ranks.indexOf(a.kind) - ranks.indexOf(b.kind));
  const lists = [
    ...(request === undefined ? [] : [requestList(request)]),
    ...(intent === undefined ? [] : [intentList(intent)]),
    ...(reason === undefined ? [] : [reasonList(reason)]),
    ...subjects.map(aboutList),
    ...(types === undefined ? [] : [typesList(types)]),
  ];
  return lists.length === 0 ? [everything] : lists;
}

/** The events of candidates (`at`, `position`) that pass all filters, in the order of the candidates. */
export function eventsOf(candidates: string, filters: readonly EventFilter[], order: string): string {
  const conditions = filters.flatMap(({ where }) => where ?? []);
  return `
    SELECT ${COLUMNS}
    FROM (${candidates}) AS candidate
      ${filters.flatMap(({ join }) => join ?? []).join(' ')}
      CROSS JOIN LATERAL (SELECT * FROM audit.event WHERE event.position = candidate.position OFFSET 0) AS event
    ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
    ORDER BY ${order}`;
}

const COLUMNS = `event.position::text, event.event_id AS "eventId", event.at::text, event.type, event.stream,
      event.revision::text, event.subject, event.actor_id AS "actorId", event.app_id AS "appId",
      event.grant_id AS "grantId", event.intent_id AS "intentId", event.request_id AS "requestId",
      event.client_request_id AS "clientRequestId", event.address_class AS "addressClass",
      event.operator_id AS "operatorId", event.operator, event.reason, event.cause`;
