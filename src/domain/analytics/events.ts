import type { DomainEvent, EventTime } from '../event.js';

/**
 * An operator is about to be shown what a data set of analysts keeps encrypted or as pseudonyms. `eventIds`: the events
 * whose personal fields are shown, or the one event that has the id. The id that a pseudonym stands for is in its own
 * field.
 */
export type AnalyticsDisclosed = DomainEvent<
  'analytics.disclosed',
  {
    readonly operatorId: string;
    readonly eventIds: readonly string[];
    readonly actorId?: string | undefined;
    readonly postId?: string | undefined;
    readonly grantId?: string | undefined;
    readonly reportId?: string | undefined;
  } & EventTime
>;

/** An operator is about to export the log for analysts. */
export type AnalyticsExported = DomainEvent<
  'analytics.exported',
  { readonly operatorId: string; readonly exportId: string } & EventTime
>;
