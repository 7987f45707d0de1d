import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../../../base/config/limit-settings.js';
import { HttpRefusal } from '../../../server/errors.js';
import { consolePathOf } from '../../desk/act.js';
import { requireAdmission } from '../../desk/admission.js';
import { actOfRoute, actTable } from '../table.js';
import { ConsoleCookies } from '../../console/cookies.js';
import { Form, formOf } from '../../console/form.js';
import { answerFault } from './answer-fault.js';
import { answerForm } from './forms.js';
import { entrances } from './entrances.js';
import { bringActs } from '../../console/may.js';
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
        if (visit) {
          visits.set(request, visit);
          if (request.method !== 'POST') requireAdmission(row, visit.caller);
        } else if (request.method !== 'POST')
          return reply.redirect(`/console/sign-in?to=${encodeURIComponent(request.url)}`, 303);
      });
      server.addHook('preHandler', async (request) => {
        const visit = visits.get(request);
        const row = actOfRoute(request.method, request.routeOptions.url);
        if (request.method !== 'POST' || !row) return;
        // The page of a refusal has what the person wrote, so it is made once that is read.
        if (!visit)
          throw new HttpRefusal(
            'authentication_required',
            'Your session has ended. Sign in, then try again.',
          );
        requireAdmission(row, visit.caller);
        formOf(request).requireProof(visit.secret);
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
