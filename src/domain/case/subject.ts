import type { ReportCreated } from '../report/events.js';
import type { CaseSubject } from './events.js';

/** All reports of one post, or of one actor, have one case. */
export function caseSubjectOf({ postId, targetActorId }: ReportCreated['data']): CaseSubject {
  const caseId = postId === undefined ? `actor-${targetActorId}` : `post-${postId}`;
  return { caseId, postId, targetActorId };
}
