import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../../../base/config/limit-settings.js';
import { asksForPage } from '../../../server/asks-for-page.js';
import { endWork } from '../../../server/overload.js';
import { setRefusalCode } from '../../../server/refusal-code.js';
import { faultPage } from '../pages/fault.page.js';
import { pageHeaders } from '../../../base/pages/layout.js';
import { incompleteFormError, isClientDisconnect } from '../rules/client-disconnect.js';
import { Fault, toFault, RETRY_AFTER_SECONDS } from '../rules/faults.js';
import { readForm } from '../rules/form.js';
import type { FileAnswer, HttpExchange, FormFields, PageOrRedirect } from '../storage/exchange.js';

export interface PageRoute {
  readonly path: string;
  /** Undefined: the address of a form, which leads to the page above it. */
  readonly get?: (exchange: HttpExchange, uid: string) => Promise<PageOrRedirect>;
  /** Answers a form. It must check the CSRF field first. */
  readonly post?: (exchange: HttpExchange, fields: FormFields, uid: string) => Promise<PageOrRedirect>;
}

/**
 * A Fastify plugin that serves pages below its prefix and accepts forms only. An error below the prefix is a page for a
 * browser and an Error object for a program. `contact`: of the operators.
 */
export function pageRoutes(routes: readonly PageRoute[], contact: string | undefined): FastifyPluginCallback {
  return (server, _options, registered) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(
      'application/x-www-form-urlencoded',
      // The longest password has up to twelve bytes per character in a form.
      { parseAs: 'string', bodyLimit: limits.bodies.bytes },
      (_request, body, done) => {
        try {
          done(null, fieldsOf(String(body)));
        } catch (fault) {
          done(fault as Fault);
        }
      },
    );
    server.setErrorHandler((error, request, reply) => answerFault(error, request, reply, contact));
    server.setNotFoundHandler((request, reply) =>
      answerFault(new Fault(404, 'not_found', 'There is no page at this address.'), request, reply, contact),
    );
    for (const route of routes) serve(server, route);
    registered();
  };
}

/** @throws {Fault} a field is repeated, or contains U+0000. */
function fieldsOf(body: string): FormFields {
  const fields = Object.fromEntries(readForm(body));
  if (
    Object.entries(fields)
      .flat()
      .some((text) => text.includes('\0'))
  )
    throw new Fault(400, 'invalid_request', 'A field contains the control character U+0000; remove it.');
  return fields;
}

function serve(server: FastifyInstance, { path, get, post }: PageRoute): void {
  if (get)
    server.get(path, async (request, reply) =>
      answer(reply, await get(exchangeOf(request, reply), uidOf(request))),
    );
  // After a refused form the browser shows its address, and asks for it on Enter.
  else
    server.get(path, (request, reply) => {
      const [address = ''] = request.url.split('?');
      return reply
        .header('cache-control', 'no-store')
        .redirect(address.slice(0, address.lastIndexOf('/')), 303);
    });
  if (post)
    server.post(path, async (request, reply) => {
      const fields = (request.body ?? {}) as FormFields;
      return answer(reply, await post(exchangeOf(request, reply), fields, uidOf(request)));
    });
  const allowed = ['GET', 'HEAD', ...(post ? ['POST'] : [])];
  server.route({
    method: server.supportedMethods.filter((method) => !allowed.includes(method)),
    url: path,
    // Before the body is parsed, so that a bad body does not hide the wrong method.
    onRequest: (_request, reply, done) => {
      void reply.header('allow', allowed.join(', '));
      done(new Fault(405, 'invalid_request', 'This page does not support the method of the request.'));
    },
    handler: () => undefined,
  });
}

function uidOf(request: FastifyRequest): string {
  return (request.params as { uid?: string }).uid ?? '';
}

function exchangeOf(request: FastifyRequest, reply: FastifyReply): HttpExchange {
  return { request: request.raw, response: reply.raw, requestId: request.id, address: request.ip };
}

function answer(reply: FastifyReply, step: PageOrRedirect): FastifyReply {
  if ('location' in step) return reply.header('cache-control', 'no-store').redirect(step.location, 303);
  if ('file' in step) {
    // It may take minutes, and has a bound of its own.
    endWork(reply.raw);
    return reply.headers(fileHeaders(step)).send(step.file);
  }
  const headers = pageHeaders(step.formTarget, undefined, step.script);
  return reply.status(step.status).headers(headers).send(step.page);
}

const fileHeaders = ({ name, contentType }: FileAnswer): Record<string, string> => ({
  'content-type': contentType,
  'content-disposition': `attachment; filename="${name}"`,
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'no-store',
});

function answerFault(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  contact: string | undefined,
): FastifyReply {
  const fault = isClientDisconnect(error, request.raw) ? incompleteFormError() : toFault(error);
  if (fault.code === 'server_error') request.log.error({ err: error }, 'page failed');
  else if (fault.isTransient) request.log.warn({ err: error }, 'page unavailable');
  if (fault.isTransient) reply.header('retry-after', RETRY_AFTER_SECONDS);
  setRefusalCode(reply.raw, fault.socialCode);
  reply.status(fault.status).header('vary', 'Accept');
  if (asksForPage(request.headers))
    return reply.headers(pageHeaders()).send(faultPage(fault, request, contact));
  return reply
    .header('cache-control', 'no-store')
    .send({ error: fault.socialCode, message: fault.description });
}
