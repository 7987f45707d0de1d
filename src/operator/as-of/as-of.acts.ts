import { z } from 'zod';
import { servingWith } from '../../../projections/groups.js';
import {
  expectedSeconds,
  findAsOf,
  listAsOf,
  requestAsOf,
  unfinishedAsOf,
} from '../../background/as-of/builds.js';
import type { AsOfBuild } from '../../background/as-of/builds.js';
import { HttpRefusal } from '../../server/errors.js';
import { shownAsOf } from './answer.js';
import { lookAsOf, requireServing } from './look.js';
import { momentOf } from './moment.js';
import { asOfAnswerPage, asOfPage, asOfPath, isAsOfBuilding } from './pages/as-of.page.js';
import { asOfStatus, shownBuild } from './status.js';
import type { AsOfStatus } from './status.js';
import { act, Answer } from '../desk/act.js';
import type { ActContext } from '../desk/act.js';
import { requesterOf } from '../desk/jobs.js';
import { identifier, listOf } from '../desk/schemas.js';

const actor = z.string().regex(identifier, 'must be the id of an account');
const look = z.strictObject({ actor });
/** The actor is checked before the work begins, though the build is the same for all. */
const request = z.strictObject({ at: z.string().trim().max(64), actor });

/** Each look at the network as of a moment is recorded; to wait for its build is no look. */
export const asOfActs = [
  act({
    name: 'as_of.list',
    may: 'audit.read',
    route: 'GET /operator/as-of',
    answer: listOf(shownBuild),
    page: asOfPage,
    run: async (_input, { services: { pool, config } }) =>
      (await listAsOf(pool, servingWith(config))).map((build) => asOfStatus(build)),
  }),
  act({
    name: 'as_of.build',
    may: 'audit.read',
    route: 'POST /operator/as-of',
    input: request,
    answer: shownAsOf,
    form: { to: ({ actor: asked, build: { position } }) => asOfPath(position, asked) },
    run: async ({ at, actor: asked }, context) =>
      new Answer(202, { actor: asked, build: await build(at, context) }),
  }),
  act({
    name: 'as_of.read',
    may: 'audit.read',
    route: 'GET /operator/as-of/:position',
    command: 'as-of',
    input: look,
    answer: shownAsOf,
    page: asOfAnswerPage,
    isUnfinished: isAsOfBuilding,
    run: (input, context) => lookAsOf(context, positionIn(context), input.actor, false),
  }),
  act({
    name: 'as_of.disclose',
    may: 'texts.disclose',
    route: 'POST /operator/as-of/:position/texts',
    reason: 'required',
    input: look,
    answer: shownAsOf,
    form: { page: (frame, answer) => asOfAnswerPage(frame, answer) },
    run: (input, context) => lookAsOf(context, positionIn(context), input.actor, true),
  }),
];

async function build(at: string, { services, metadata }: ActContext): Promise<AsOfStatus> {
  const { pool, config, clock } = services;
  await requireServing(services);
  const group = servingWith(config);
  const now = clock.now();
  const moment = await momentOf(services, at, now);
  const requested = { moment, requestedBy: requesterOf(metadata), now };
  if (!(await requestAsOf(pool, group, requested))) throw busy(await unfinishedAsOf(pool, group));
  const found = await findAsOf(pool, group, moment.position);
  if (!found) throw new HttpRefusal('not_found', 'The build was dropped at once: request it again.');
  return asOfStatus(found, await expectedSeconds(pool, moment.position));
}

function busy(other: AsOfBuild | undefined): HttpRefusal {
  const left = (other && asOfStatus(other).secondsLeft) ?? undefined;
  const which = other ? ` (position ${other.position})` : '';
  const when = left === undefined ? 'when it is made' : `in about ${left} s`;
  return new HttpRefusal(
    'protected_read_unavailable',
    `Another moment is being built${which}, and one is built at a time: request yours ${when}.`,
    left === undefined ? {} : { retryAfterSeconds: left },
  );
}

/** @throws {HttpRefusal} `not_found` */
function positionIn({ params }: ActContext): bigint {
  const text = params['position'] ?? '';
  if (!/^\d{1,18}$/.test(text)) throw new HttpRefusal('not_found', 'There is no build of such a position.');
  return BigInt(text);
}
