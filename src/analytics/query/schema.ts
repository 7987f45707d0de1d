import { columnsOf } from '../columns/columns.js';
import type { ColumnType } from '../columns/columns.js';
import { requireState } from '../data-set/commits.js';

export interface ViewColumn {
  readonly view: string;
  readonly name: string;
  readonly type: ColumnType | 'date' | 'number';
  readonly meaning: string;
}

type Described = readonly [name: string, type: ViewColumn['type'], meaning: string];

const day: Described = ['day', 'date', 'UTC day of the events'];
const appId: Described = ['app_id', 'text', 'application'];
const app: Described = ['app', 'text', 'name of the application'];
const events: Described = ['events', 'integer', 'number of events'];
const actors: Described = ['actors', 'integer', 'number of people who caused them'];

/** Columns of the ready views; docs/analytics.md defines the words. */
const readyViews: Readonly<Record<string, readonly Described[]>> = {
  applications: [appId, ['name', 'text', 'name of the application']],
  daily_active: [day, ['actors', 'integer', 'number of active people']],
  retention: [
    ['cohort', 'date', 'Monday of the week in which the people registered'],
    ['weeks_later', 'integer', 'weeks since then'],
    ['people', 'integer', 'number of people who registered'],
    ['active', 'integer', 'number of them who were active in the later week'],
    ['share', 'number', 'active / people'],
  ],
  posts_per_app: [
    day,
    appId,
    app,
    ['posts', 'integer', 'number of created posts'],
    ['authors', 'integer', 'number of their authors'],
  ],
  grant_churn: [
    day,
    appId,
    app,
    ['issued', 'integer', 'number of grants issued on the day'],
    ['revoked', 'integer', 'number of grants revoked on the day'],
    ['active', 'integer', 'number of grants issued and not revoked, at the end of the day'],
  ],
  app_impact: [
    appId,
    app,
    ['hour', 'time', 'begin of the hour, UTC'],
    ['type', 'text', 'type of the events'],
    events,
    actors,
  ],
  app_reach: [
    appId,
    app,
    ['act', 'text', 'type of the events, with the kind of a relation'],
    events,
    actors,
    ['targets', 'integer', 'number of other people whom they concern'],
  ],
  busy_hours: [
    ['weekday', 'integer', 'day of the week, from 1 for Monday'],
    ['hour', 'integer', 'hour of the day, UTC, from 0'],
    events,
    actors,
  ],
  report_decisions: [
    ['report_id', 'text', 'pseudonym of the report'],
    ['reason', 'text', 'reason of the report, of a fixed list'],
    ['reported_at', 'time', 'time of the report, UTC'],
    ['decided_at', 'time', 'time of the first decision in view of it; null: none'],
    ['hours', 'number', 'hours from the report to that decision'],
  ],
  attention: [
    ['actor_id', 'text', 'pseudonym of a registered person'],
    ['follows', 'integer', 'number of first follows by others'],
    ['likes', 'integer', 'number of first likes by others'],
    ['replies', 'integer', 'number of replies by others'],
    ['attention', 'integer', 'follows + likes + replies'],
  ],
};

/** Columns of `events` and of the ready views. @throws {Failure} the directory is no data set. */
export function schemaOf(dir: string): readonly ViewColumn[] {
  const own = columnsOf(requireState(dir).personal);
  return [
    ...own.map(({ name, type, meaning }) => ({ view: 'events', name, type, meaning })),
    { view: 'events', name: 'day', type: 'date', meaning: 'UTC day of occurred_at: the folder of the file' },
    ...Object.entries(readyViews).flatMap(([view, columns]) =>
      columns.map(([name, type, meaning]) => ({ view, name, type, meaning })),
    ),
  ];
}
