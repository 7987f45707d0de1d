import { z } from 'zod';
import { clear, event, id, personal, pseudonym } from '../event.js';
import type { EventIn } from '../event.js';
import { reportReasons } from './report-reasons.js';

export const reportEvents = {
  /** `targetActorId`: the reported actor, or the author of the reported post. `text`: of the reporter; may be empty. */
  'report.created': event(
    {
      reportId: pseudonym(id),
      reporterActorId: pseudonym(id),
      appId: clear(id),
      postId: pseudonym(id.optional()),
      targetActorId: pseudonym(id),
      reason: clear(z.enum(reportReasons)),
      text: personal(z.string(), ''),
    },
    { person: 'reporterActorId' },
  ),
};

export type ReportCreated = EventIn<typeof reportEvents>;
