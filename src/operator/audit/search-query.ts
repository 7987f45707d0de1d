import type { AuditSearch, AuditSubject } from '../../../projections/audit/audit.read-model.js';
import { mostSimilarName } from '../../base/config/nearest-name.js';
import { eventTypes } from '../../log/registry.js';
import { SearchError, termsOf, termText } from './search-terms.js';
import type { Term } from './search-terms.js';
import { beginOf, endOf, TIME_HELP } from './time.js';

const subjectKinds = ['actor', 'app', 'grant', 'post', 'operator', 'claimed'] as const;

const filterNames = [...subjectKinds, 'type', 'since', 'until', 'request', 'intent', 'reason'] as const;
type FilterName = (typeof filterNames)[number];

/** Two of these can both hold for one event; of types, any one. */
const repeatable: ReadonlySet<FilterName> = new Set(['actor', 'operator', 'post', 'type']);

const identifier = {
  pattern: /^[A-Za-z0-9_-]{1,64}$/,
  is: 'an identifier of the network',
};

const line = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u;

const values: Readonly<Partial<Record<FilterName, { readonly pattern: RegExp; readonly is: string }>>> = {
  actor: { pattern: /^@?[A-Za-z0-9_-]{1,64}$/, is: 'an id or a handle' },
  app: { pattern: line, is: 'an id or a name of one line' },
  grant: identifier,
  post: identifier,
  operator: { pattern: line, is: 'an id or a name of one line' },
  claimed: { pattern: line, is: 'a name of one line' },
  request: { pattern: /^[A-Za-z0-9._:/+=-]{1,64}$/, is: 'an x-request-id or requestId' },
  intent: { pattern: /^[A-Za-z0-9._:-]{1,128}$/, is: 'an intentId' },
  reason: { pattern: /^[^\0\p{Cs}]{1,500}$/u, is: 'a reason, or its begin and *, of at most 500 characters' },
};

/** Each is looked up, and a look of its own. */
const MAX_SUBJECTS = 10;

/** A search as somebody typed it: a subject may have a name in place of its id (resolve.ts). */
export interface TypedSearch extends Omit<AuditSearch, 'about'> {
  readonly typed: readonly AuditSubject[];
}

/**
 * Reads a search: terms that must all hold, `actor:` `app:` `grant:` `post:` `operator:` `claimed:` `type:` `since:`
 * `until:` `request:` `intent:` `reason:`. Several types are alternatives; `-type:` excludes; `type:post.*` stands for all
 * that begin so, and `reason:"order 12*"` likewise. `now`: Unix milliseconds.
 * @throws {SearchError} with a message for the operator
 */
export function parseSearch(text: string, now: number): TypedSearch {
  const terms = termsOf(text).map(checked);
  const valuesOf = (name: FilterName, isExcluded = false) =>
    terms.filter((each) => each.name === name && each.isExcluded === isExcluded).map(({ value }) => value);
  for (const name of filterNames)
    if (!repeatable.has(name) && valuesOf(name).length > 1)
      throw new SearchError(`${name}: stands there twice; no event has two of them.`);
  const time = (name: 'since' | 'until', read: typeof beginOf) => {
    const [value] = valuesOf(name);
    if (value === undefined) return undefined;
    const at = read(value, now);
    if (at === undefined) throw new SearchError(`${name}: must be ${TIME_HELP}.`);
    return at;
  };
  const [since, until] = [time('since', beginOf), time('until', endOf)];
  if (since !== undefined && until !== undefined && since >= until)
    throw new SearchError('since: must be before until:.');
  const typed: AuditSubject[] = subjectKinds.flatMap((kind) =>
    [...new Set(valuesOf(kind))].map((id) => ({ kind, id })),
  );
  if (typed.length > MAX_SUBJECTS)
    throw new SearchError(`A search names at most ${MAX_SUBJECTS} subjects; no event is about more.`);
  const [[request], [intent], [reason]] = [valuesOf('request'), valuesOf('intent'), valuesOf('reason')];
  return {
    typed,
    types: typesOf(valuesOf('type'), valuesOf('type', true)),
    request,
    intent,
    reason: reason === undefined ? undefined : reasonOf(reason),
    since,
    until,
  };
}

/** The search as text, with ids and absolute times: to record it, and for the pages after the first one. */
export function searchText({
  about = [],
  types,
  request,
  intent,
  reason,
  since,
  until,
}: AuditSearch): string {
  const time = (at: number | undefined) => (at === undefined ? [] : [new Date(at).toISOString()]);
  return [
    ...about.map(({ kind, id }) => termText(kind, id)),
    ...(types ?? []).map((type) => termText('type', type)),
    ...[request ?? []].flat().map((id) => termText('request', id)),
    ...[intent ?? []].flat().map((id) => termText('intent', id)),
    ...(reason === undefined ? [] : [termText('reason', reason.isBegin ? `${reason.text}*` : reason.text)]),
    ...time(since).map((at) => termText('since', at)),
    ...time(until).map((at) => termText('until', at)),
  ].join(' ');
}

/** As it was typed, but with absolute times. */
export const typedText = ({ typed, ...search }: TypedSearch): string =>
  searchText({ ...search, about: typed });

function reasonOf(value: string) {
  const begin = value.replace(/\*$/, '');
  if (begin === '') throw new SearchError('reason: must have characters before the *.');
  return { text: begin, isBegin: begin !== value };
}
function checked({ isExcluded, name, value }: Term): Term & { readonly name: FilterName } {
  const known = filterNames.find((filter) => filter === name);
  if (known === undefined) {
    const meant = mostSimilarName(name, filterNames);
    const hint = meant === undefined ? '' : ` Did you mean ${meant}:?`;
    throw new SearchError(
      `There is no filter ${name}:.${hint} Filters: ${filterNames.map((each) => `${each}:`).join(' ')} -type:`,
    );
  }
  if (isExcluded && known !== 'type') throw new SearchError(`Only types can be excluded: not -${known}:.`);
  if (value === '') throw new SearchError(`${known}: has no value.`);
  const rule = values[known];
  if (rule && !rule.pattern.test(value)) throw new SearchError(`${known}: must be ${rule.is}.`);
  return { isExcluded, name: known, value };
}

function typesOf(included: readonly string[], excluded: readonly string[]): readonly string[] | undefined {
  if (included.length === 0 && excluded.length === 0) return undefined;
  const without = new Set(excluded.flatMap(named));
  const types = new Set(included.length === 0 ? eventTypes : included.flatMap(named));
  const left = [...types].filter((type) => !without.has(type));
  if (left.length === 0) throw new SearchError('-type: excludes every type of type:.');
  return left;
}

function named(type: string): readonly string[] {
  const begin = /^([a-z_.]+)\*$/.exec(type)?.[1];
  const found = eventTypes.filter((each) => (begin === undefined ? each === type : each.startsWith(begin)));
  if (found.length > 0) return found;
  const meant = mostSimilarName(type, eventTypes);
  throw new SearchError(
    `There is no event type ${type}.${meant === undefined ? ' Types are written like post.created or post.*' : ` Did you mean ${meant}?`}`,
  );
}
