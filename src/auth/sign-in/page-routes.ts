import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { faultPage } from '../pages/fault.page.js';
import { pageHeaders } from '../../pages/layout.js';
import { cutOff, isClientGone } from '../protocol/client-gone.js';
import { Fault, faultOf, RETRY_AFTER } from '../protocol/faults.js';
import { readForm } from '../protocol/form.js';
import type { Exchange, Fields, Step } from './exchange.js';

/** As of any request: a password of the greatest length is up to twelve bytes a character in a form. */
const FORM_LIMIT_BYTES = 64 * 1024;

/** What a page does, by the path below the address where its pages are. `uid`: names the interaction, where there is one. */
export interface PageRoute {
  readonly path: string;
  readonly get?: (exchange: Exchange, uid: string) => Promise<Step>;
  /** Is to check the form before anything else. */
  readonly post?: (exchange: Exchange, fields: Fields, uid: string) => Promise<Step>;
}

/**
 * A Fastify plugin, to be registered with a prefix, that serves pages: takes forms and nothing else, and says what is
 * wrong with any request below the prefix as a page to a browser and as an Error object to a program.
 */
export function pageRoutes(routes: readonly PageRoute[]): FastifyPluginCallback {
  return (server, _options, registered) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES },
      (_request, body, done) => {
        try {
          done(null, fieldsOf(String(body)));
        } catch (fault) {
          done(fault as Fault);
        }
      },
    );
    server.setErrorHandler((error, request, reply) => answerFault(error, request, reply));
    server.setNotFoundHandler((request, reply) =>
      answerFault(new Fault(404, 'not_found', 'There is no page at this address.'), request, reply),
    );
    for (const route of routes) serve(server, route);
    registered();
  };
}

/** @throws {Fault} a field is there twice, or holds what no text holds. */
function fieldsOf(body: string): Fields {
  const fields = Object.fromEntries(readForm(body));
  if (
    Object.entries(fields)
      .flat()
      .some((text) => text.includes('\0'))
  )
    throw new Fault(400, 'invalid_request', 'A field has a control character.');
  return fields;
}

function serve(server: FastifyInstance, { path, get, post }: PageRoute): void {
  if (get)
    server.get(path, async (request, reply) =>
      answer(reply, await get(exchangeOf(request, reply), uidOf(request))),
    );
  if (post)
    server.post(path, async (request, reply) => {
      const fields = (request.body ?? {}) as Fields;
      return answer(reply, await post(exchangeOf(request, reply), fields, uidOf(request)));
    });
  const allowed = [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : [])];
  server.route({
    method: server.supportedMethods.filter((method) => !allowed.includes(method)),
    url: path,
    // Before the body is parsed: a wrong method is wrong whatever its body is.
    onRequest: (_request, reply, done) => {
      void reply.header('allow', allowed.join(', '));
      done(new Fault(405, 'invalid_request', 'This is not how this page is used.'));
    },
    handler: () => undefined,
  });
}

function uidOf(request: FastifyRequest): string {
  return (request.params as { uid?: string }).uid ?? '';
}

function exchangeOf(request: FastifyRequest, reply: FastifyReply): Exchange {
  return { request: request.raw, response: reply.raw, requestId: request.id, address: request.ip };
}

function answer(reply: FastifyReply, step: Step): FastifyReply {
  if ('location' in step) return reply.header('cache-control', 'no-store').redirect(step.location, 303);
  return reply.status(step.status).headers(pageHeaders(step.formTarget)).send(step.page);
}

/** A page for a browser, the published Error object for a program. */
function answerFault(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const fault = isClientGone(error, request.raw) ? cutOff() : faultOf(error);
  if (fault.code === 'server_error') request.log.error({ err: error }, 'a page failed');
  else if (fault.passing) request.log.warn({ err: error }, 'a page is not available');
  if (fault.passing) reply.header('retry-after', RETRY_AFTER);
  reply.status(fault.status);
  if (request.headers.accept?.includes('text/html'))
    return reply.headers(pageHeaders()).send(faultPage(fault, request));
  return reply
    .header('cache-control', 'no-store')
    .send({ error: fault.socialCode, message: fault.description });
}
