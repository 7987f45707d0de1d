import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthorizationServer } from './authorization-server.js';
import { Fault, oauthError } from './protocol/faults.js';
import { withoutIdleNonce } from './protocol/nonce.js';
import { clientEndpoints, discoveryPaths, endpoints, routes } from './protocol/routes.js';
import { AUTH_PREFIX, AuthSettings } from './settings.js';
import { FormGuard } from './sign-in/form-guard.js';
import { InteractionPages } from './sign-in/interaction.pages.js';
import { interactionRoutes } from './sign-in/interaction.routes.js';

/** Puts the authorization server and its pages in front of the application. Call once, before `listen`. */
export function mountAuthorizationServer(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  const settings = app.get(AuthSettings);
  const authorization = app.get(AuthorizationServer);
  void server.register((instance, _options, done) => {
    protocolRoutes(instance, authorization, settings.baseUrl);
    done();
  });
  void server.register((instance, _options, done) => {
    interactionRoutes(instance, app.get(InteractionPages), app.get(FormGuard));
    done();
  });
}

/** Hands requests to the library as they come off the wire, with the address that the network is configured to have. */
function protocolRoutes(server: FastifyInstance, authorization: AuthorizationServer, baseUrl: string): void {
  const { host, protocol } = new URL(baseUrl);

  // The library reads the body itself.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));

  const hand =
    (path: (request: FastifyRequest) => string) => (request: FastifyRequest, reply: FastifyReply) => {
      const refusal = refuse(request, baseUrl);
      if (refusal) return sendRefusal(reply, refusal);
      const raw = request.raw as typeof request.raw & { originalUrl?: string };
      raw.url = path(request);
      raw.originalUrl = `${AUTH_PREFIX}${raw.url}`;
      raw.headers.host = host;
      raw.headers['x-forwarded-host'] = host;
      raw.headers['x-forwarded-proto'] = protocol.slice(0, -1);
      raw.headers['x-forwarded-for'] = request.ip;
      reply.raw.setHeader('x-content-type-options', 'nosniff');
      reply.hijack();
      // Koa answers whatever happens by itself.
      authorization.handle(raw, reply.raw);
      return reply;
    };

  for (const [method, url] of endpoints)
    server.route({
      method,
      url: `${AUTH_PREFIX}${url}`,
      handler: hand(({ url: whole }) => withoutIdleNonce(whole.slice(AUTH_PREFIX.length))),
    });
  // RFC 8414, section 3.1: the well-known path goes before the issuer's.
  server.get(
    `${discoveryPaths[1]}${AUTH_PREFIX}`,
    hand(() => discoveryPaths[1]),
  );
}

/** What is asked of a request before the protocol: network-api.md, "Origin rule" and "Credentials". */
function refuse(request: FastifyRequest, baseUrl: string): Fault | undefined {
  const path = (request.routeOptions.url ?? '').slice(AUTH_PREFIX.length);
  const { origin, authorization } = request.headers;
  const signsOut = path === `${routes.end_session}/confirm`;
  if (
    origin !== undefined &&
    origin !== baseUrl &&
    (clientEndpoints.has(path) || path === routes.userinfo || signsOut)
  )
    return new Fault(403, 'origin_mismatch', `Omit Origin, or send ${baseUrl}.`);
  if (origin === undefined && signsOut)
    return new Fault(403, 'origin_required', 'Your browser did not say where this form came from.');
  // RFC 6749, section 5.2: the library would answer 400.
  if (clientEndpoints.has(path) && !authorization?.match(/^basic /i))
    return new Fault(401, 'invalid_client', 'Authenticate as the application with HTTP Basic.');
  return undefined;
}

function sendRefusal(reply: FastifyReply, fault: Fault): FastifyReply {
  if (fault.status === 401) reply.header('www-authenticate', 'Basic realm="plaza"');
  return reply.status(fault.status).header('cache-control', 'no-store').send(oauthError(fault));
}
