import { z } from 'zod';
import { eventTypes, registryEntryOf, treatmentsOf } from '../../log/registry.js';
import type { EventType } from '../../log/registry.js';
import { columnsOf, fieldColumns } from '../columns/columns.js';
import type { ColumnType } from '../columns/columns.js';
import { requireState } from '../data-set/commits.js';
import { columnsFromData, viewOf } from './views.js';

export interface ViewColumn {
  readonly view: string;
  readonly name: string;
  readonly type: ColumnType | 'date' | 'moment' | 'number';
  readonly meaning: string;
  /** Empty: no fixed list. */
  readonly values: readonly string[];
}

type Described = readonly [name: string, type: ViewColumn['type'], meaning: string];

const day: Described = ['day', 'date', 'UTC day of the events'];
const appId: Described = ['app_id', 'text', 'application'];
const app: Described = ['app', 'text', 'name of the application'];
const complete: Described = [
  'is_complete',
  'boolean',
  'whether the data has the whole time that the row is about, to its end',
];
const window = (span: string): readonly Described[] => [
  day,
  ['active', 'integer', `number of people who were active ${span}`],
  ['new', 'integer', `number of them who registered ${span}`],
  ['returning', 'integer', 'number of the others'],
];
const events: Described = ['events', 'integer', 'number of events'];
const actors: Described = ['actors', 'integer', 'number of people who caused them'];

const attention: readonly Described[] = [
  ['follows', 'integer', 'number of first follows by others'],
  ['likes', 'integer', 'number of first likes by others'],
  ['replies', 'integer', 'number of replies by others'],
];

/** Columns of the ready views; docs/analytics.md defines the words. */
const readyViews: Readonly<Record<string, readonly Described[]>> = {
  applications: [appId, ['name', 'text', 'name of the application']],
  data_set: [
    ['first_day', 'date', 'day of the first event'],
    ['last_day', 'date', 'newest day, which may not be over'],
    ['complete_from', 'date', 'first day of which no event was left out'],
    ['complete_until', 'moment', 'moment, UTC, up to which no event is missing'],
    ['is_whole', 'boolean', 'whether no event was left out before'],
    ['is_folded', 'boolean', 'whether people, attention and grants of the time before are known'],
    ['is_caught_up', 'boolean', 'whether an export had every event of the log at complete_until'],
  ],
  days: [['day', 'date', 'each UTC day from the first to the newest']],
  activity: [
    ['actor_id', 'text', 'pseudonym of a person who was present'],
    ['day', 'date', 'UTC day'],
    ['acted', 'boolean', 'whether the person was active'],
    ['signed_in', 'boolean', 'whether the person signed in'],
    ['refreshed', 'boolean', 'whether an application refreshed the tokens of the person'],
  ],
  daily_active: [
    ...window('on the day'),
    ['signed_in', 'integer', 'number of people who signed in'],
    ['refreshed', 'integer', 'number of people whose tokens an application refreshed'],
    ['present', 'integer', 'number of people who acted, signed in, or whose tokens were refreshed'],
    complete,
  ],
  weekly_active: [...window('in the 7 days that end with the day'), complete],
  monthly_active: [
    ...window('in the 28 days that end with the day'),
    ['stickiness', 'number', 'active people of the day / active people of the 28 days'],
    complete,
  ],
  retention: [
    ['cohort', 'date', 'Monday of the week in which the people registered'],
    ['weeks_later', 'integer', 'weeks since then, to 25; 0 is that week itself'],
    ['people', 'integer', 'number of people who registered, also if they are suspended or erased since'],
    ['active', 'integer', 'number of them who were active in the later week'],
    ['share', 'number', 'active / people'],
    complete,
  ],
  posts_per_app: [
    day,
    appId,
    app,
    ['posts', 'integer', 'number of created posts'],
    ['authors', 'integer', 'number of their authors'],
    complete,
  ],
  grant_churn: [
    day,
    appId,
    app,
    ['issued', 'integer', 'number of grants issued on the day'],
    ['revoked', 'integer', 'number of usable grants revoked on the day'],
    ['expired', 'integer', 'number of usable grants that expired on the day, which leaves no event'],
    ['active', 'integer', 'number of usable grants at the end of the day'],
    complete,
  ],
  app_impact: [
    appId,
    app,
    ['hour', 'time', 'begin of the hour, UTC'],
    ['type', 'text', 'type of the events'],
    events,
    actors,
    complete,
  ],
  app_reach: [
    appId,
    app,
    ['act', 'text', 'type of the events, with the kind of a relation'],
    events,
    actors,
    ['targets', 'integer', 'number of other people whom they concern'],
    complete,
  ],
  busy_hours: [
    ['weekday', 'integer', 'day of the week, from 1 for Monday'],
    ['hour', 'integer', 'hour of the day, UTC, from 0'],
    ['events', 'integer', 'number of events that people caused, without refreshes of applications'],
    actors,
    complete,
  ],
  report_decisions: [
    ['report_id', 'text', 'pseudonym of the report'],
    ['reason', 'text', 'reason of the report, of a fixed list'],
    ['reported_at', 'time', 'time of the report, UTC'],
    ['decided_at', 'time', 'time of the first decision in view of it; null: none'],
    ['hours', 'number', 'hours from the report to that decision'],
  ],
  decision_speed: [
    ['week', 'date', 'Monday of the week of the reports'],
    ['reports', 'integer', 'number of reports'],
    ['decided', 'integer', 'number of them that are decided'],
    ['median_hours', 'number', 'hours within which half of the decided ones were decided'],
    ['share_24_hours', 'number', 'share of all reports decided within 24 hours'],
    ['share_72_hours', 'number', 'share of all reports decided within 72 hours'],
    complete,
  ],
  restrictions: [
    ['position', 'integer', 'place of the event in the log'],
    ['occurred_at', 'time', 'time of the event, UTC'],
    day,
    ['type', 'text', 'type of the event: of a restriction or of its end'],
    ['why', 'text', 'decision of a case, batch, or operator: an act by hand'],
    ['post_id', 'text', 'pseudonym of the post; null: an account'],
    ['actor_id', 'text', 'pseudonym of the account, or of the author of the post'],
    ['case_id', 'text', 'pseudonym of the case'],
    ['decision_id', 'text', 'pseudonym of the decision'],
    ['batch_id', 'text', 'pseudonym of the batch'],
    ['by_operator_id', 'text', 'pseudonym of the operator; null without --operators'],
  ],
  registrations: [
    ['actor_id', 'text', 'pseudonym of a registered person'],
    ['registered_on', 'date', 'UTC day of the registration'],
    ['app_id', 'text', 'application through which the person registered; null: none, or an erased person'],
  ],
  attention: [
    ['actor_id', 'text', 'pseudonym of a registered person'],
    ...attention,
    ['attention', 'integer', 'follows + likes + replies'],
    complete,
  ],
  people: [
    ['actor_id', 'text', 'pseudonym of a registered person'],
    ['registered_on', 'date', 'UTC day of the registration'],
    ['app_id', 'text', 'application through which the person registered; null: none, or an erased person'],
    app,
    ['is_suspended', 'boolean', 'whether the person is suspended'],
    ...attention,
    complete,
  ],
};

/** Columns of `events`, of the ready views, and of the views of types: of these, the ones that `events` lacks. @throws {Failure} the directory is no data set. */
export function schemaOf(dir: string): readonly ViewColumn[] {
  const own = columnsOf(requireState(dir));
  return [
    ...own.map(({ name, type, meaning }) => ({
      view: 'events',
      name,
      type,
      meaning,
      values: valuesOf(name),
    })),
    {
      view: 'events',
      name: 'day',
      type: 'date',
      meaning: 'UTC day of occurred_at: the folder of the file',
      values: [],
    },
    ...Object.entries(readyViews).flatMap(([view, columns]) =>
      columns.map(([name, type, meaning]) => ({ view, name, type, meaning, values: [] })),
    ),
    ...eventTypes.flatMap((type) =>
      columnsFromData(type).map(({ field, name }) => ({
        view: viewOf(type),
        name,
        type: 'text' as const,
        meaning: `field ${field} of the event, as text`,
        values: fixedValues(type, field),
      })),
    ),
  ];
}

/** Values of a column of `events` that is a field with a fixed list of them. */
function valuesOf(column: string): readonly string[] {
  const field = Object.keys(fieldColumns).find((each) => fieldColumns[each]?.name === column);
  const types = eventTypes.filter((type) => field !== undefined && field in treatmentsOf(type));
  return [...new Set(types.flatMap((type) => fixedValues(type, field ?? '')))].toSorted();
}

interface Listing {
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Listing;
}

/** The values that the schema of an event allows a field, or the items of its list; none: it has no fixed list. */
function fixedValues(type: EventType, field: string): readonly string[] {
  const schema = registryEntryOf(type)?.schema;
  const properties = schema && (z.toJSONSchema(schema).properties as Record<string, Listing> | undefined);
  const found = properties?.[field];
  const from = found?.items ?? found;
  return (from?.enum ?? (from?.const === undefined ? [] : [from.const])).map(String).toSorted();
}
