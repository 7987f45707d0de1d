import type { INestApplicationContext } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { applicationImpact } from '../../../projections/audit/impact.read-model.js';
import type { AuditSearch } from '../../../projections/audit/audit.read-model.js';
import { Clock } from '../../commands/support/clock.js';
import { HttpRefusal } from '../../http/server/errors.js';
import { EventLog } from '../../log/event-log.js';
import { Postgres } from '../../store/postgres.js';
import { followCursor, searchCursor } from '../audit/cursors.js';
import { followAudit } from '../audit/follow.js';
import { parseSearch } from '../audit/search-query.js';
import { SearchError } from '../audit/search-terms.js';
import { searchAudit } from '../audit/search.js';
import { beginOf, endOf, TIME_HELP } from '../audit/time.js';
import { pathId, parse } from './schemas.js';

/** Bounds the size of a page: a text takes up to 8 KB. */
const MAX_PAGE = 100;
/** Below the time in which the command line expects an answer. */
const WAIT_MS = 20_000;
const MAX_HOURS = 24 * 31;

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** @throws {HttpRefusal} says what to write instead. */
function searchOf(text: string, clock: Clock): AuditSearch {
  try {
    return parseSearch(text, clock.now());
  } catch (error) {
    throw error instanceof SearchError ? new HttpRefusal('invalid_request', error.message) : error;
  }
}

function readBy<Value>(read: (text: string) => Value | undefined, message: string) {
  return z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

const CURSOR = 'must be a cursor of an earlier answer';
const limit = z.coerce.number().int().min(1).max(MAX_PAGE).default(MAX_PAGE);

export function auditRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const stores = { pool: app.get(Postgres).pool, log: app.get(EventLog) };
  const clock = app.get(Clock);
  const common = { q: z.string().max(8_192).default(''), limit, texts: flag.default(true) };
  const searchedPage = z.strictObject({
    ...common,
    before: readBy(searchCursor, CURSOR).optional(),
    wait: flag.default(false),
  });
  const followedPage = z.strictObject({ ...common, after: readBy(followCursor, CURSOR).optional() });
  const time = (read: typeof beginOf) =>
    readBy((text) => read(text, clock.now()), `must be ${TIME_HELP}`).optional();
  const impactWindow = z.strictObject({
    since: time(beginOf),
    until: time(endOf),
    hours: z.coerce.number().int().min(0).max(MAX_HOURS).default(24),
  });

  server.get('/operator/audit', (request) => {
    const { q, before, limit, texts: withTexts, wait } = parse(searchedPage, request.query);
    const waitMs = wait ? WAIT_MS : undefined;
    return searchAudit(stores, { search: searchOf(q, clock), before, limit, withTexts, waitMs });
  });

  server.get('/operator/audit/follow', (request) => {
    const { q, after, limit, texts: withTexts } = parse(followedPage, request.query);
    return followAudit(stores, { search: searchOf(q, clock), after, limit, withTexts });
  });

  server.get('/operator/applications/:id/impact', (request) => {
    const { hours, ...window } = parse(impactWindow, request.query);
    return applicationImpact(stores.pool, pathId(request), window, hours);
  });
}
