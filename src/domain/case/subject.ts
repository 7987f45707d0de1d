import type { ReportCreated } from '../report/events.js';
import type { CaseSubject } from './events.js';

export const caseOfPost = (postId: string): string => `post-${postId}`;
export const caseOfActor = (actorId: string): string => `actor-${actorId}`;

/** The subject that the id of a case names. */
export function subjectIn(caseId: string): { readonly kind: 'post' | 'actor'; readonly id: string } {
  const at = caseId.indexOf('-');
  return { kind: caseId.slice(0, at) === 'post' ? 'post' : 'actor', id: caseId.slice(at + 1) };
}

/** All reports of one post, or of one actor, have one case. */
export function caseSubjectOf({ postId, targetActorId }: ReportCreated['data']): CaseSubject {
  const caseId = postId === undefined ? caseOfActor(targetActorId) : caseOfPost(postId);
  return { caseId, postId, targetActorId };
}
