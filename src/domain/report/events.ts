import type { DomainEvent, EventTime } from '../event.js';
import type { ReportReason } from './report-reasons.js';

/**
 * `targetActorId`: the reported actor, or the author of the reported post. `text`: personal, of the reporter; may be
 * empty.
 */
export type ReportCreated = DomainEvent<
  'report.created',
  {
    readonly reportId: string;
    readonly reporterActorId: string;
    readonly appId: string;
    readonly postId?: string | undefined;
    readonly targetActorId: string;
    readonly reason: ReportReason;
    readonly text: string;
  } & EventTime
>;
