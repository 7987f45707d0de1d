import type { DomainEvent, Occurrence } from '../event.js';
import type { ReportReason } from './report.js';

/**
 * Somebody tells the operators of a post or of an actor. `targetActorId` is the reported actor, or the author of the
 * reported post. Text is personal, of the reporter; empty where nothing was said.
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
  } & Occurrence
>;
