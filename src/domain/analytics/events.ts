import { z } from 'zod';
import { event, id, omitted, pseudonym } from '../event.js';
import type { EventIn } from '../event.js';

const operator = { operatorId: omitted(id) };

export const analyticsEvents = {
  /**
   * An operator is about to be shown what a data set of analysts keeps encrypted or as pseudonyms. `eventIds`: the events
   * whose personal fields are shown, or the one event that has the id. The id that a pseudonym stands for is in its own
   * field.
   */
  'analytics.disclosed': event({
    ...operator,
    eventIds: omitted(z.array(id)),
    actorId: pseudonym(id.optional()),
    postId: pseudonym(id.optional()),
    grantId: pseudonym(id.optional()),
    reportId: pseudonym(id.optional()),
  }),
  /** An operator is about to export the log for analysts. */
  'analytics.exported': event({ ...operator, exportId: omitted(id) }),
};

export type AnalyticsDisclosed = EventIn<typeof analyticsEvents, 'analytics.disclosed'>;
export type AnalyticsExported = EventIn<typeof analyticsEvents, 'analytics.exported'>;
