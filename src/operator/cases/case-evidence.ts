import { z } from 'zod';
import { casesAbout } from '../../../projections/cases/cases.read-model.js';
import { readCase } from '../../commands/support/case-command.js';
import { caseEffects, caseOutcomes } from '../../domain/case/events.js';
import type { CaseSubject } from '../../domain/case/events.js';
import type { ActServices } from '../desk/services.js';
import { listOf } from '../desk/schemas.js';

export const POSTS = 5;
export const DECIDED = 5;

/** Ids alone: an answer has no public text, which could be restricted or erased after it was sent. */
export const evidence = z.strictObject({
  /** The root and the parent of the post. */
  thread: listOf(z.strictObject({ postId: z.string(), authorActorId: z.string() })),
  /** Newest other posts of the person that anybody can read. */
  newestPosts: listOf(z.string()),
  /** Other cases about the person with their newest decision: those of a violation first. */
  decidedBefore: listOf(
    z.strictObject({
      caseId: z.string(),
      at: z.number(),
      outcome: z.enum(caseOutcomes),
      effects: listOf(z.enum(caseEffects)),
      appeal: z.enum(['none', 'waiting', 'upheld', 'overturned']),
    }),
  ),
});

type Evidence = z.infer<typeof evidence>;

/** @throws errors of log and store */
export async function evidenceOf(
  { log, pool, publicPosts }: Pick<ActServices, 'log' | 'pool' | 'publicPosts'>,
  { caseId, postId, targetActorId }: CaseSubject,
): Promise<Evidence> {
  const [{ thread, newest: newestPosts }, about] = await Promise.all([
    publicPosts.around(targetActorId, postId, POSTS),
    casesAbout(pool, targetActorId, DECIDED + 1),
  ]);
  const others = about.filter((id) => id !== caseId).slice(0, DECIDED);
  const read = await Promise.all(others.map((id) => readCase(log, id)));
  const decidedBefore = read.flatMap(({ state }) => {
    const decision = state.status === 'none' ? undefined : state.decisions.at(-1);
    if (state.status === 'none' || !decision) return [];
    const { at, outcome, effects, appeal } = decision;
    return [{ caseId: state.subject.caseId, at, outcome, effects, appeal }];
  });
  return { thread, newestPosts, decidedBefore };
}
