import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { INestApplicationContext } from '@nestjs/common';
import { fastify, LogController } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ErasurePendingError } from '../../commands/account/erasure-steps.js';
import { Config } from '../../base/config/config.js';
import { limits } from '../../base/config/limit-settings.js';
import { LOGGER } from '../../base/config/logger.js';
import { arrivalDeadline } from '../../server/arrival-deadline.js';
import { clientRequestIdOf, REQUEST_ID } from '../../server/client-request-id.js';
import { incompleteBody, sendError } from '../../server/error.filter.js';
import { RestrictionProof } from '../../doors/api/admission/restriction-proof.js';
import { HttpRefusal } from '../../server/errors.js';
import { acceptOnlyJson } from '../../server/bodies/json-body.js';
import { refuseUnreadable, trackExchanges } from '../../server/bodies/unreadable.js';
import { boundUnreadAnswers } from '../../server/slow-readers/unread-answers.js';
import { LogUnavailable, NotWitnessed } from '../../log/event-log.js';
import { sharedTokenOf } from '../../launch/shared-token.js';
import { isUnreachable } from '../../base/store/unreachable.js';
import { observeRequests } from '../../server/observe-requests.js';
import { Telemetry } from '../../base/telemetry/telemetry.js';
import { Acts } from '../desk/acts.js';
import { actServicesOf } from '../desk/services.js';
import type { ActServices } from '../desk/services.js';
import { actOfRoute, actTable } from './table.js';
import { consoleRoutes } from './console/console-server.js';
import { Authentication } from '../desk/identity/authentication.js';
import { Sessions } from '../desk/identity/sessions.js';
import { Sampler } from '../network/plots/sampler.js';
import { actRoutes, requireActs } from './act-routes.js';
import { metricsRoutes } from './metrics.routes.js';

/**
 * Starts the operator API on its own address: operators authenticate with a token, not as accounts of the network.
 * @throws the address is in use.
 */
export async function startOperatorApi(app: INestApplicationContext): Promise<{ close(): Promise<void> }> {
  const config = app.get(Config);
  const server = fastify({
    loggerInstance: app.get<FastifyBaseLogger>(LOGGER),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendError(error, request, reply.header(REQUEST_ID, clientRequestIdOf(request.raw))),
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      refuseUnreadable(error, socket, { [REQUEST_ID]: randomUUID() }),
    forceCloseConnections: true,
    ...arrivalDeadline(limits.connections),
  });
  observeRequests(server, app.get(Telemetry));
  boundUnreadAnswers(server.server, limits.connections);
  trackExchanges(server.server);
  server.addHook('onRequest', (request, { raw }, done) => {
    raw.setHeader(REQUEST_ID, clientRequestIdOf(request.raw));
    done();
  });
  acceptOnlyJson(server);
  requireActs(server);
  server.setErrorHandler((error, request, reply) => sendError(explain(error, request), request, reply));
  server.setNotFoundHandler((request, reply) =>
    sendError(new HttpRefusal('not_found', 'There is nothing at this address.'), request, reply),
  );
  const services = actServicesOf(app);
  routes(server, app, services);
  await server.listen({ host: config.operatorHost, port: config.operatorPort });
  const sampler = new Sampler({
    ...services,
    metrics: app.get(Telemetry).metrics,
    processId: services.ids.random(),
  });
  sampler.start();
  return {
    close: async () => {
      await sampler.stop();
      await server.close();
    },
  };
}

function routes(server: FastifyInstance, app: INestApplicationContext, services: ActServices): void {
  const sessions = new Sessions(services.store, services.clock);
  const authentication = new Authentication({
    ...services,
    sessions,
    sharedToken: sharedTokenOf(services.config),
    proof: app.get(RestrictionProof),
  });
  const acts = new Acts(services, actTable);
  actRoutes(server, acts, authentication);
  consoleRoutes(server, { acts, services, authentication, sessions, explain });
  metricsRoutes(server, app);
}

/**
 * Converts an error for an operator. Operators send no intent identifiers, so after an outage the message says if a
 * retry is safe.
 */
function explain(error: unknown, request: FastifyRequest): unknown {
  if (error instanceof HttpRefusal) return error;
  const incomplete = incompleteBody(error, request);
  if (incomplete) return incomplete;
  const options = { cause: error };
  if (error instanceof NotWitnessed)
    return new HttpRefusal(error.code, `${error.message} ${witnessAdvice(error)}`, options);
  if (error instanceof ErasurePendingError)
    return new HttpRefusal('protected_read_unavailable', CLEANUP_PENDING, options);
  if (error instanceof LogUnavailable)
    return new HttpRefusal('domain_storage_unavailable', outcomeAdvice(request), {
      ...options,
      written: 'unknown',
    });
  return isUnreachable(error)
    ? new HttpRefusal('authority_unavailable', outcomeAdvice(request), options)
    : error;
}

const CLEANUP_PENDING =
  'The account is erased, and its key destroyed. Reads no longer show it, but its rows stay until a worker removes them: check /readyz, then run the command again.';

function witnessAdvice({ code }: NotWitnessed): string {
  if (code === 'restriction_witness_required') return 'Set WITNESS_DATABASE_URL, then restart the network.';
  return code === 'witness_acceptance_mismatch'
    ? 'Check plaza recovery status.'
    : 'Run the command again, which is safe.';
}

function outcomeAdvice({ method, routeOptions }: FastifyRequest): string {
  if (method === 'GET') return 'A store does not answer; try again.';
  const duplicate = actOfRoute(method, routeOptions.url)?.duplicates;
  return duplicate === undefined
    ? 'It is not known whether this was done; run the command again, which is safe.'
    : `It is not known whether this was done; run the command again, and another ${duplicate} is made.`;
}
