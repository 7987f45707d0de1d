import { randomUUID } from 'node:crypto';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { sendError } from './error.filter.js';
import { HttpRefusal } from './errors.js';
import { acceptOnlyJson } from './json-body.js';
import { rememberMethods } from './method-not-allowed.js';
import { requireNetworkOrigin } from './network-origin.js';

/** Longer than any identifier, so that a long one is an unknown one and not an unknown address. */
const LONGEST_PARAMETER = 2_048;

export const fastifyAdapter = (logger: Logger): FastifyAdapter =>
  new FastifyAdapter({
    loggerInstance: logger,
    disableRequestLogging: true,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    // Connections that idle, and slow senders, are cut; a proxy in front keeps its own shorter.
    requestTimeout: 30_000,
    forceCloseConnections: 'idle',
  });

/** Sets up what holds for every request, before any route is registered. Call the result when all of them are. */
export function prepareServer(app: NestFastifyApplication, baseUrl: string): () => void {
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  const refuseOtherMethods = rememberMethods(server);
  acceptOnlyJson(server);
  requireNetworkOrigin(server, baseUrl);
  server.addHook('onSend', async (_request, reply) => {
    // An answer is for its caller at this moment: no cache keeps it, no browser guesses its type.
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
    void reply.header('x-content-type-options', 'nosniff');
  });
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  server.setNotFoundHandler((request, reply) =>
    sendError(new HttpRefusal('not_found', 'There is nothing at this address.'), request, reply),
  );
  return refuseOtherMethods;
}
