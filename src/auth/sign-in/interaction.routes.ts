import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { faultPage } from '../pages/fault.page.js';
import { pageHeaders } from '../pages/layout.js';
import { faultOf, RETRY_AFTER } from '../protocol/faults.js';
import { AUTH_PREFIX } from '../settings.js';
import type { FormGuard } from './form-guard.js';
import type { Exchange, InteractionPages, Step } from './interaction.pages.js';

/** More than any form here needs. */
const FORM_LIMIT_BYTES = 16 * 1024;

type Fields = Readonly<Record<string, string>>;

/** Registers the sign-in and consent pages, in a Fastify context of its own. */
export function interactionRoutes(server: FastifyInstance, pages: InteractionPages, guard: FormGuard): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  server.setErrorHandler((error, request, reply) => answerFault(error, request, reply));

  const address = `${AUTH_PREFIX}/interaction/:uid`;
  server.get(address, async (request, reply) => answer(reply, await pages.show(exchangeOf(request, reply))));

  const post = (path: string, submit: (exchange: Exchange, fields: Fields) => Promise<Step>) =>
    server.post(`${address}/${path}`, async (request, reply) => {
      const exchange = exchangeOf(request, reply);
      const fields = (request.body ?? {}) as Fields;
      guard.check(exchange.uid, request.headers, fields);
      return answer(reply, await submit(exchange, fields));
    });
  post('sign-in', (exchange, fields) => pages.submitSignIn(exchange, fields));
  post('consent', (exchange, fields) => pages.submitConsent(exchange, fields));
}

function exchangeOf(request: FastifyRequest, reply: FastifyReply): Exchange {
  const { uid } = request.params as { uid: string };
  return { request: request.raw, response: reply.raw, uid };
}

function answer(reply: FastifyReply, step: Step): FastifyReply {
  if ('location' in step) return reply.header('cache-control', 'no-store').redirect(step.location, 303);
  return reply.status(step.status).headers(pageHeaders(step.formTarget)).send(step.page);
}

/** A page for a browser, the published Error object for a program. */
function answerFault(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const fault = faultOf(error);
  if (fault.code === 'server_error') request.log.error({ err: error }, 'a sign-in page failed');
  else if (fault.passing) request.log.warn({ err: error }, 'a sign-in page is not available');
  if (fault.passing) reply.header('retry-after', RETRY_AFTER);
  reply.status(fault.status);
  if (request.headers.accept?.includes('text/html'))
    return reply.headers(pageHeaders()).send(faultPage(fault));
  return reply
    .header('cache-control', 'no-store')
    .send({ error: fault.socialCode, message: fault.description });
}
