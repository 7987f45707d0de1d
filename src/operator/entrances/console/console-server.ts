import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../../../base/config/limit-settings.js';
import { errorBody, sendError } from '../../../server/error.filter.js';
import { httpStatusOf, HttpRefusal } from '../../../server/errors.js';
import { setRefusalCode } from '../../../server/refusal-code.js';
import { consolePathOf } from '../../desk/act.js';
import { actOfRoute, actTable } from '../table.js';
import type { ActServices } from '../../desk/services.js';
import { undefinedIfUnreachable } from '../../desk/reachable.js';
import { frameOf } from '../../console/answer.js';
import { ConsoleCookies } from '../../console/cookies.js';
import { Form, proofOf } from '../../console/form.js';
import { answerForm } from './forms.js';
import { entrances } from './entrances.js';
import { withNames } from '../../console/names.js';
import { pageHeaders } from '../../console/layout.js';
import { bringActs } from '../../console/may.js';
import { faultPage } from '../../console/fault.page.js';
import { withKeptFilters } from './kept-filters.js';
import { answerPage } from './pages.js';
import { requireConsoleOrigin } from '../../console/require-origin.js';
import { visitOf } from '../../console/visit.js';
import type { ConsoleParts, Exchange, Visit } from '../../console/visit.js';

export function consoleRoutes(root: FastifyInstance, parts: ConsoleParts): void {
  bringActs(actTable);
  const origin = parts.services.config.operatorBaseUrl;
  const cookies = new ConsoleCookies(origin);
  const visits = new WeakMap<FastifyRequest, Visit>();

  const exchangeOf = (request: FastifyRequest, reply: FastifyReply): Exchange => {
    const visit = visits.get(request);
    if (!visit) throw new Error(`${request.url} has no row in the table of acts`);
    const params = request.params as Exchange['params'];
    return { ...parts, cookies, request, reply, visit, params, form: formOf(request) };
  };

  void root.register(
    async (server) => {
      server.removeAllContentTypeParsers();
      server.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: limits.bodies.bytes },
        (_request: FastifyRequest, body: string) => Promise.resolve(new Form(body)),
      );
      server.addHook('onRequest', async (request, reply) => {
        requireConsoleOrigin(request, origin);
        const row = actOfRoute(request.method, request.routeOptions.url);
        if (!row) return;
        const visit = await visitOf(request, reply, row, { ...parts, cookies });
        if (!visit) return reply.redirect(`/console/sign-in?to=${encodeURIComponent(request.url)}`, 303);
        visits.set(request, visit);
      });
      server.addHook('preHandler', async (request) => {
        const visit = visits.get(request);
        if (request.method === 'POST' && visit) formOf(request).requireProof(visit.secret);
      });
      server.setErrorHandler((error, request, reply) =>
        answerFault(
          parts.explain(error, request),
          request,
          reply,
          visits.has(request) ? exchangeOf(request, reply) : undefined,
          parts.services,
        ),
      );
      server.setNotFoundHandler((request, reply) =>
        answerFault(
          new HttpRefusal('not_found', 'There is no page at this address.'),
          request,
          reply,
          undefined,
          parts.services,
        ),
      );
      for (const row of actTable) {
        const path = consolePathOf(row);
        if (path === undefined) continue;
        const page = answerPage(row);
        const shown = page && row.name === 'case.list' ? withKeptFilters(page) : page;
        const answer = entrances[row.name] ?? shown ?? (row.form && answerForm(row, row.form));
        if (!answer) throw new Error(`the console has no page or form of ${row.name}`);
        server.route({
          method: row.method,
          url: path.slice('/console'.length),
          handler: (request, reply) => answer(exchangeOf(request, reply)),
        });
      }
    },
    { prefix: '/console' },
  );
}

const formOf = ({ body }: FastifyRequest): Form => (body instanceof Form ? body : new Form(''));

/** A page for a browser, an Error object for a program. */
async function answerFault(
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
  // Messages name options of the command line, which no form has.
  const shown = message.replaceAll(/ \(--[a-z-]+\)/g, '');
  const row = exchange && actOfRoute(request.method, request.routeOptions.url);
  const form = row?.form === true ? undefined : row?.form;
  const ways = exchange && (row?.ways?.(frame) ?? form?.ways?.(frame, exchange.params));
  return reply
    .status(status)
    .headers(pageHeaders)
    .send(await withNames(services, faultPage(frame, { status, code, message: shown, ways })));
}
