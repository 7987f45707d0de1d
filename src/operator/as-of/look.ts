import { DatabaseError } from 'pg';
import { servingWith } from '../../../projections/groups.js';
import { findAsOf } from '../../background/as-of/builds.js';
import type { AsOfBuild } from '../../background/as-of/builds.js';
import { pagesOfActor } from '../../background/as-of/view.js';
import { HttpRefusal } from '../../server/errors.js';
import { readPublicationState } from '../../../projections/incarnations/recovery-state.js';
import { LogReplaced } from '../../log/event-log.js';
import type { ActContext } from '../desk/act.js';
import { operatorIdOf } from '../desk/caller.js';
import { disclose } from '../audit/disclose.js';
import { recordLooks } from '../audit/looks.js';
import { asOfView } from './answer.js';
import type { AsOfAnswer, AsOfView } from './answer.js';
import { asOfStatus } from './status.js';
import { hiddenEvents, publicTextsOf } from './texts.js';

const DROPPED = 'There is no build of this position, or its day is over: request it again (plaza as-of).';
/** SQLSTATE of a missing table and of a missing schema. */
const missing: ReadonlySet<string | undefined> = new Set(['42P01', '3F000']);

/**
 * Shows what an actor would see as of the build's position; records the look first, and with `discloses` the texts that it
 * shows though they are not public. Until the build is made, it shows and records nothing.
 * @throws {HttpRefusal} {@link LogUnavailable} and other errors of the log: nothing was shown.
 */
export async function lookAsOf(
  context: ActContext,
  position: bigint,
  actorId: string,
  discloses: boolean,
): Promise<AsOfAnswer> {
  const { services } = context;
  await requireServing(services);
  const group = servingWith(services.config);
  const build = await findAsOf(services.pool, group, position);
  if (!build) throw new HttpRefusal('not_found', DROPPED);
  const answer = { actor: actorId, build: asOfStatus(build) };
  if (build.state !== 'built') return answer;
  try {
    return { ...answer, view: await viewOf(context, build, actorId, discloses) };
  } catch (error) {
    if (error instanceof DatabaseError && missing.has(error.code))
      throw new HttpRefusal('not_found', DROPPED, { cause: error });
    if (error instanceof LogReplaced)
      throw new HttpRefusal(
        'recovery_publication_changed',
        'The log was replaced since this build was made: request another position.',
        { cause: error },
      );
    throw error;
  }
}

async function viewOf(
  context: ActContext,
  build: AsOfBuild,
  actorId: string,
  discloses: boolean,
): Promise<AsOfView> {
  const { services, caller, metadata } = context;
  const { pool, log } = services;
  const { incarnation, schemaName, position, eventId } = build;
  if (incarnation === null || schemaName === null) throw new Error(`as-of build ${position} has no schema`);
  await log.verify({ position, eventId });
  const pages = await pagesOfActor(pool, { incarnation, schemaName }, actorId);
  if (!pages)
    throw new HttpRefusal(
      'not_found',
      'No such actor had an account at that position, or they were erased since.',
    );
  const publicTexts = await publicTextsOf(services, pages);
  await recordLooks(context, [{ actorId, position: String(position) }]);
  const operatorId = operatorIdOf(caller) ?? '';
  const eventIds = discloses ? hiddenEvents(pages, publicTexts) : [];
  const disclosed = eventIds.length > 0 ? await disclose(services, { eventIds, operatorId, metadata }) : [];
  return asOfView(build, pages, publicTexts, new Map(disclosed.map((each) => [each.eventId, each])));
}

/** In a quarantine, a text that is not public any more may still be shown as if it were. @throws {HttpRefusal} */
export async function requireServing({ pool }: Pick<ActContext['services'], 'pool'>): Promise<void> {
  const state = await readPublicationState(pool);
  if (!state)
    throw new HttpRefusal(
      'recovery_state_missing',
      'Nothing is published yet: a worker is making the first build.',
    );
  if (state.status === 'quarantined')
    throw new HttpRefusal(
      'recovery_quarantined',
      `The network is in quarantine: ${state.reason} See plaza recovery plan, then plaza recovery apply.`,
    );
}
