import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { errorBody, sendError } from '../../../server/error.filter.js';
import { httpStatusOf } from '../../../server/errors.js';
import { setRefusalCode } from '../../../server/refusal-code.js';
import { frameOf } from '../../console/answer.js';
import { faultPage } from '../../console/fault.page.js';
import { formOf, proofOf } from '../../console/form.js';
import { pageHeaders } from '../../console/layout.js';
import { withNames } from '../../console/names.js';
import type { Exchange } from '../../console/visit.js';
import type { Act } from '../../desk/act.js';
import { undefinedIfUnreachable } from '../../desk/reachable.js';
import type { ActServices } from '../../desk/services.js';
import { actOfRoute } from '../table.js';
import { pageAbove } from './forms.js';

/** A page for a browser, an Error object for a program. */
export async function answerFault(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  exchange: Exchange | undefined,
  services: ActServices,
): Promise<FastifyReply | void> {
  if (!request.headers.accept?.includes('text/html')) return sendError(error, request, reply);
  const { error: code, message } = errorBody(error, request.log);
  const status = httpStatusOf[code];
  setRefusalCode(reply.raw, code);
  const { secret = '', session } = exchange?.visit ?? {};
  // A page about an unreachable store still says what it can.
  const whole = exchange && session ? await undefinedIfUnreachable(frameOf(exchange)) : undefined;
  const frame = whole ?? { proof: proofOf(secret), session };
  // Messages name acts, options and commands of the command line, which no page has.
  const shown = message.replaceAll(/ \((--[a-z-]+|[a-z_]+\.[a-z_]+|plaza [a-z -]+)\)/g, '');
  const row = actOfRoute(request.method, request.routeOptions.url);
  const params = request.params as Exchange['params'];
  const page = faultPage(frame, {
    status,
    code,
    message: shown,
    ways: row ? [backFrom(row, request, code), row.ways?.(frame, params) ?? html``] : [],
    written: texts.flatMap(([name, label]) => {
      const text = formOf(request)
        .all(name)
        .findLast((each) => each !== '');
      return text === undefined ? [] : [[label, text] as const];
    }),
  });
  return reply
    .status(status)
    .headers(pageHeaders)
    .send(await withNames(services, page));
}

/** Fields with what a person wrote. */
const texts = [
  ['reason', 'Your reason, to copy'],
  ['notice', 'Your text for the person, to copy'],
  ['note', 'Your note, to copy'],
] as const;

/** From a form to the page that has it; from a page with filters to the page without. */
function backFrom(row: Act, { method, params, url }: FastifyRequest, code: string): Html {
  const isSignedOut = code === 'authentication_required';
  const [path = '', query] = url.split('?');
  // The page of an invitation has its code in the address.
  if (method === 'POST' && row.may !== 'invitation')
    return html`<p>
      <a href="${pageAbove(row, params as Exchange['params'])}">${isSignedOut ? 'Sign in' : 'Back'}</a>.
    </p>`;
  return query !== undefined && code === 'invalid_request' && !row.ways
    ? html`<p><a href="${path}">The page without filters</a>.</p>`
    : html``;
}
