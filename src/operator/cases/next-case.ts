import { z } from 'zod';
import { askPool, claimableSql } from '../../../projections/cases/queue.read-model.js';
import type { Candidate } from '../../../projections/cases/queue.read-model.js';
import { ClaimCase, TakeOverCase } from '../../commands/case/change-case.js';
import type { OperatorMetadata } from '../../commands/support/case-command.js';
import { CLAIM_IDLE_MS } from '../../domain/case/handling.js';
import { Refusal } from '../../domain/refusal.js';
import type { ActContext } from '../desk/act.js';
import { ownIdOf } from '../desk/caller.js';
import { identifier } from '../desk/schemas.js';
import { queueFilters, recordNarrowing } from './case-queue.js';
import { askPublished } from './queue-facts.js';

/** `state` appealed: of the appeals; any other: of the open cases. `after`: the case that the operator has just left. */
export const nextQuery = queueFilters.extend({
  after: z.string().regex(identifier, 'must be the id of a case').optional(),
});

type Claiming = (command: ClaimCase | TakeOverCase) => Promise<{ readonly changed: boolean }>;

const AT_ONCE = 20;
/** More than operators and recusals take out of a queue meanwhile. */
const TRIES = 10;

/** A case that another operator was faster to claim, that the caller must leave to others, or that the log lacks. */
const passedOver = new Set<string>(['revision_conflict', 'not_owner', 'not_found']);

/**
 * Claims the most urgent case that the caller may, by `execute`. Returns its id; null: none waits.
 * @throws errors of log and stores.
 */
export async function claimNext(
  context: ActContext,
  { state, after, ...narrowing }: z.infer<typeof nextQuery>,
  execute: Claiming,
): Promise<string | null> {
  const { services, caller } = context;
  await recordNarrowing(context, narrowing);
  const metadata: OperatorMetadata = { ...context.metadata, operatorId: ownIdOf(caller) };
  const ask = narrowing.application === undefined ? askPool(services.pool) : askPublished(services.published);
  const except = after === undefined ? [] : [after];
  for (let tries = 0; tries < TRIES; tries++) {
    const candidates = await ask<readonly Candidate[]>(
      claimableSql({
        ...narrowing,
        isAppealed: state === 'appealed',
        operatorId: metadata.operatorId,
        idleSince: services.clock.now() - CLAIM_IDLE_MS,
        except,
        limit: AT_ONCE,
      }),
    );
    for (const { caseId, idleOperatorId } of candidates) {
      const command =
        idleOperatorId === null
          ? new ClaimCase(caseId, metadata)
          : new TakeOverCase(caseId, idleOperatorId, metadata);
      if (await isClaimed(execute, command)) return caseId;
      except.push(caseId);
    }
    if (candidates.length < AT_ONCE) return null;
  }
  throw new Refusal(
    'revision_conflict',
    'You may claim none of the first 200 cases that wait here. Narrow the queue, or try again.',
  );
}

/** False also for a case that was the caller's already: the rows may lag behind. */
async function isClaimed(execute: Claiming, command: ClaimCase | TakeOverCase): Promise<boolean> {
  try {
    return (await execute(command)).changed;
  } catch (error) {
    if (error instanceof Refusal && passedOver.has(error.code)) return false;
    throw error;
  }
}
