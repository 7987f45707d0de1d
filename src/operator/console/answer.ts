import type { FastifyReply } from 'fastify';
import { clientRequestIdOf } from '../../server/client-request-id.js';
import { Answer } from '../desk/act.js';
import type { Act } from '../desk/act.js';
import { AwaitedApproval } from '../desk/approvals/awaited-approval.js';
import { countWaiting } from '../desk/approvals/listed.js';
import { proofOf } from './form.js';
import { pageHeaders } from './layout.js';
import type { Frame } from '../desk/page.js';
import { mayDo } from './may.js';
import { withNames } from './names.js';
import { notices } from './notices.js';
import { warningsOf } from './warnings.js';
import type { Exchange } from './visit.js';

/**
 * Performs an act for the sender of the request, and returns the body of its answer; of an act with a rule for approvals,
 * an {@link AwaitedApproval} may come in its place.
 */
export async function perform<Answered>(
  { acts, visit, request, params }: Exchange,
  row: Act<string, unknown, Answered>,
  input: unknown,
): Promise<Answered> {
  const { caller } = visit;
  const sent = {
    caller,
    requestId: request.id,
    clientRequestId: clientRequestIdOf(request.raw),
    claimedName: undefined,
    idempotencyKey: undefined,
    params,
    input,
  };
  const answer = await acts.perform(row, sent);
  const body = answer instanceof Answer && !(answer instanceof AwaitedApproval) ? answer.body : answer;
  return body as Answered;
}

export async function frameOf({ visit, request, services }: Exchange): Promise<Frame> {
  const { secret, session } = visit;
  const warnings = session ? await warningsOf(services) : [];
  const isReader = mayDo(session, 'approval.list');
  const waiting = isReader ? await countWaiting(services.store, services.clock.now()) : 0;
  const { pathname, searchParams } = new URL(request.url, services.config.operatorBaseUrl);
  return {
    proof: proofOf(secret),
    session,
    path: pathname,
    notice: (searchParams.get('done') ?? '')
      .split(' ')
      .flatMap((name) => notices.get(name) ?? [])
      .join(' '),
    waiting,
    warnings,
  };
}

export const sendPage = async ({ reply, services }: Exchange, page: string): Promise<FastifyReply> =>
  reply.headers(pageHeaders).send(await withNames(services, page));

export const goTo = ({ reply }: Exchange, path: string): FastifyReply =>
  reply.header('cache-control', 'no-store').redirect(path, 303);
