import type { INestApplicationContext } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { z } from 'zod';
import { auditedEventsAfter } from '../../../projections/audit/audit.read-model.js';
import { EventLog } from '../../log/event-log.js';
import { Postgres } from '../../store/postgres.js';
import { isUpToDate, withTexts } from './audit.js';
import { identifier, parse } from './schemas.js';

/** Events in one page of the audit. Bounds its size, since the text of an event takes up to 8 KB. */
const PAGE = 100;
const CATCH_UP_TIMEOUT_MS = 3_000;

const digits = z.string().regex(/^[0-9]{1,18}$/, 'must be a number');
const id = z.string().regex(identifier, 'must be an identifier of the network').optional();

const auditPage = z.strictObject({
  actor: id,
  post: id,
  app: id,
  grant: id,
  since: digits.transform(Number).optional(),
  after: digits.transform(BigInt).optional(),
});

export function auditRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const { pool } = app.get(Postgres);
  const log = app.get(EventLog);

  server.get('/operator/audit', (request) => pageOf(pool, log, parse(auditPage, request.query)));
}

async function pageOf(pool: Pool, log: EventLog, { after, ...filter }: z.infer<typeof auditPage>) {
  const behind = after === undefined && !(await isUpToDate(pool, log, CATCH_UP_TIMEOUT_MS));
  const page = await auditedEventsAfter(pool, filter, after ?? -1n, PAGE);
  const last = page.length === PAGE ? page.at(-1) : undefined;
  return { events: await withTexts(log, page), next: last ? Number(last.position) : null, behind };
}
