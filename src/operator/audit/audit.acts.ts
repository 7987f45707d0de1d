import { z } from 'zod';
import { HttpRefusal } from '../../server/errors.js';
import { followCursor, searchCursor } from './cursors.js';
import { followAudit } from './follow.js';
import { recordSearch } from './looks.js';
import { parseSearch } from './search-query.js';
import type { TypedSearch } from './search-query.js';
import { SearchError } from './search-terms.js';
import { auditAnswer, searchAudit } from './search.js';
import { act } from '../desk/act.js';
import { auditPage, refusedSearchPage } from './pages/audit.page.js';
import { pickedSearch } from './pages/search-form.js';

/** Bounds the size of a page: a text takes up to 8 KB. */
const MAX_PAGE = 100;
/** Below the time in which the command line expects an answer. */
const WAIT_MS = 20_000;

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

export const auditActs = [
  act({
    name: 'audit.read',
    may: 'audit.read',
    route: 'GET /operator/audit',
    command: 'audit',
    input: searchedPage,
    answer: auditAnswer,
    page: auditPage,
    pageInput: (query) => {
      const { type: _type, person: _person, app: _app, ...others } = query;
      return { ...others, q: pickedSearch(query), limit: '50' };
    },
    refusedPage: refusedSearchPage,
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
    answer: auditAnswer,
    run: ({ q, after, limit, texts: withTexts }, context) => {
      const { services } = context;
      const page = { search: searchOf(q, services.clock.now()), after, limit, withTexts };
      return followAudit(services, page, (resolved) => recordSearch(context, resolved));
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
