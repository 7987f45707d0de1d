import type { FastifyInstance, FastifyReply } from 'fastify';
import { limits } from '../../base/config/limit-settings.js';
import { DEFAULT_RETRY_AFTER_SECONDS } from '../errors.js';
import type { Health, Readiness } from './health.js';
import { boundUnreadAnswers } from '../slow-readers/unread-answers.js';

export function answerReadiness(reply: FastifyReply, readiness: Readiness): Readiness {
  if (readiness.status !== 'ok')
    void reply.status(503).header('retry-after', String(DEFAULT_RETRY_AFTER_SECONDS));
  return readiness;
}

export function mountProbeRoutes(server: FastifyInstance, health: Health): void {
  boundUnreadAnswers(server.server, limits.connections);
  server.get('/livez', () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => answerReadiness(reply, await health.readiness()));
}
