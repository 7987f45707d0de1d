import { z } from 'zod';
import { applicationImpact } from '../../../projections/audit/impact.read-model.js';
import { HttpRefusal } from '../../server/errors.js';
import { followCursor, searchCursor } from './cursors.js';
import { followAudit } from './follow.js';
import { recordLooks, recordSearch } from './looks.js';
import { parseSearch } from './search-query.js';
import type { TypedSearch } from './search-query.js';
import { SearchError } from './search-terms.js';
import { searchAudit } from './search.js';
import { beginOf, endOf, TIME_HELP } from './time.js';
import { act } from '../desk/act.js';
import { applicationName } from '../desk/applications.js';
import { idIn } from '../desk/schemas.js';

/** Bounds the size of a page: a text takes up to 8 KB. */
const MAX_PAGE = 100;
/** Below the time in which the command line expects an answer. */
const WAIT_MS = 20_000;
const MAX_HOURS = 24 * 31;
const MAX_TIME_LENGTH = 64;

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

const cursorReadBy = <Value>(read: (text: string) => Value | undefined) =>
  z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: 'must be a cursor of an earlier answer' });
    return z.NEVER;
  });

const page = {
  q: z.string().max(8_192).default(''),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(MAX_PAGE),
  texts: flag.default(true),
};
const searchedPage = z.strictObject({
  ...page,
  before: cursorReadBy(searchCursor).optional(),
  wait: flag.default(false),
});
const followedPage = z.strictObject({ ...page, after: cursorReadBy(followCursor).optional() });

const time = z.string().max(MAX_TIME_LENGTH).optional();
const impactWindow = z.strictObject({
  since: time,
  until: time,
  hours: z.coerce.number().int().min(0).max(MAX_HOURS).default(24),
});

export const auditActs = [
  act({
    name: 'audit.read',
    may: 'audit.read',
    route: 'GET /operator/audit',
    command: 'audit',
    inConsole: true,
    input: searchedPage,
    run: ({ q, before, limit, texts: withTexts, wait }, context) => {
      const { services } = context;
      const search = searchOf(q, services.clock.now());
      const waitMs = wait ? WAIT_MS : undefined;
      const page = { search, before, limit, withTexts, waitMs };
      return searchAudit(services, page, (resolved) => recordSearch(context, resolved));
    },
  }),
  act({
    name: 'audit.follow',
    may: 'audit.read',
    route: 'GET /operator/audit/follow',
    command: 'audit --follow',
    input: followedPage,
    run: ({ q, after, limit, texts: withTexts }, context) => {
      const { services } = context;
      const page = { search: searchOf(q, services.clock.now()), after, limit, withTexts };
      return followAudit(services, page, (resolved) => recordSearch(context, resolved));
    },
  }),
  act({
    name: 'application.impact',
    may: 'audit.read',
    route: 'GET /operator/applications/:id/impact',
    command: 'app impact',
    inConsole: true,
    input: impactWindow,
    run: async ({ since, until, hours }, context) => {
      const { pool, store, clock } = context.services;
      const [now, clientId] = [clock.now(), idIn(context.params)];
      const window = {
        since: timeIn('since', since, (text) => beginOf(text, now)),
        until: timeIn('until', until, (text) => endOf(text, now)),
      };
      const [impact, name] = await Promise.all([
        applicationImpact(pool, clientId, window, hours),
        applicationName(store, clientId),
      ]);
      if (name === null && impact.first === null)
        throw new HttpRefusal('not_found', 'There is no such application.');
      await recordLooks(context, [{ appId: clientId }]);
      return { clientId, name, ...impact };
    },
  }),
];

/** @throws {HttpRefusal} `invalid_request`: says how a search is written. */
export function searchOf(text: string, now: number): TypedSearch {
  try {
    return parseSearch(text, now);
  } catch (error) {
    throw error instanceof SearchError ? new HttpRefusal('invalid_request', error.message) : error;
  }
}

function timeIn(
  name: string,
  text: string | undefined,
  read: (text: string) => number | undefined,
): number | undefined {
  const at = text === undefined ? undefined : read(text);
  if (text !== undefined && at === undefined)
    throw new HttpRefusal('invalid_request', `${name} (--${name}): must be ${TIME_HELP}`);
  return at;
}
