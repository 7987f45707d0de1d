import type { Pool } from 'pg';
import { hasId, hasSubject, reasonsLike } from '../../../projections/audit/known.read-model.js';
import type { AuditSearch, AuditSubject, SubjectKind } from '../../../projections/audit/audit.read-model.js';
import { operatorNameKey } from '../../domain/operator/name.js';
import { HttpRefusal } from '../../server/errors.js';
import type { EventLog } from '../../log/event-log.js';
import { streams } from '../../log/streams.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { namedOperators } from '../../base/store/authority/named-operators.js';
import type { TypedSearch } from './search-query.js';
import { identities } from '../desk/who.js';

interface Stores {
  readonly pool: Pool;
  readonly store: AuthorityStore;
  readonly log: EventLog;
}

/** Each is a lookup of its own in a page of a search. */
const MAX_REASONS = 100;

/**
 * Puts ids in the place of typed names. So no record of a search keeps a handle beyond the erasure of its person, and a search
 * for nobody does not pass for one without events.
 * @throws {HttpRefusal} `invalid_request`: nothing or several have the id, name or reason.
 */
export async function resolveSearch(stores: Stores, { typed, ...search }: TypedSearch): Promise<AuditSearch> {
  const resolved = await Promise.all(typed.map((subject) => resolveSubject(stores, subject)));
  if (search.reason) {
    const { isBegin } = search.reason;
    const found = await reasonsLike(stores.pool, search.reason, MAX_REASONS + 1);
    if (found === 0) throw unknown(`reason: no recorded reason ${isBegin ? 'begins so' : 'is that'}`);
    if (found > MAX_REASONS)
      throw refused(`reason: more than ${MAX_REASONS} different reasons begin so; write more of it.`);
  }
  const unique = new Map(resolved.map((each) => [`${each.kind}:${each.id}`, each]));
  return { ...search, about: [...unique.values()] };
}

/**
 * As {@link resolveSearch}, for a search that is recorded and signed: a request or intent, too, must be one of the network.
 * @throws {HttpRefusal} `invalid_request`, also for the secret id of a request.
 */
export async function resolveExport(stores: Stores, search: TypedSearch): Promise<AuditSearch> {
  const { pool } = stores;
  const { request, intent } = search;
  if (request !== undefined && (await hasId(pool, 'request_id', request)))
    throw refused(
      'request: this is a secret requestId, which an export must not show; write the clientRequestId of its event.',
    );
  if (request !== undefined && !(await hasId(pool, 'client_request_id', request)))
    throw unknown(`request: no event has the clientRequestId “${request}”`);
  if (intent !== undefined && !(await hasId(pool, 'intent_id', intent)))
    throw unknown(`intent: no event has the intentId “${intent}”`);
  return resolveSearch(stores, search);
}

async function resolveSubject(stores: Stores, { kind, id: typed }: AuditSubject): Promise<AuditSubject> {
  const isHandle = kind === 'actor' && typed.startsWith('@');
  if (!isHandle && (await isKnown(stores, kind, typed))) return { kind, id: typed };
  const ids = (await named[kind]?.(stores, typed)) ?? [];
  const [id] = ids;
  if (id === undefined) throw unknown(`${kind}: ${nobody[kind]} “${typed}”`);
  if (ids.length > 1)
    throw refused(`${kind}: several have the name “${typed}”; write the id of one: ${ids.join(', ')}.`);
  return { kind, id };
}

const knownIds: Readonly<Partial<Record<SubjectKind, string>>> = {
  actor: 'SELECT FROM authority.account WHERE actor_id = $1',
  app: 'SELECT FROM authority.application WHERE app_id = $1',
  grant: 'SELECT FROM authority.app_grant WHERE grant_id = $1',
  operator: 'SELECT FROM authority.operator WHERE operator_id = $1',
};

export async function isInAuthority(pool: Pool, kind: SubjectKind, id: string): Promise<boolean> {
  const select = knownIds[kind];
  return select !== undefined && (await pool.query(select, [id])).rowCount === 1;
}

/** The audit may be behind, and it has ids that the authority store never had. */
async function isKnown({ pool, log }: Stores, kind: SubjectKind, id: string): Promise<boolean> {
  if (kind === 'operator' && Object.hasOwn(identities, id)) return true;
  if (await isInAuthority(pool, kind, id)) return true;
  if (await hasSubject(pool, { kind, id })) return true;
  return kind === 'post' && (await log.read(streams.post(id), { limit: 1 })).length > 0;
}

type Named = (stores: Stores, typed: string) => Promise<readonly string[]>;

/** Ids by what people call a subject. Grants, posts and claimed names have no other name. */
const named: Readonly<Partial<Record<SubjectKind, Named>>> = {
  actor: async ({ pool }, typed) => {
    const handle = typed.replace(/^@/, '').toLowerCase();
    const { rows } = await pool.query<{ id: string }>(
      `SELECT actor_id AS id FROM authority.account WHERE handle = $1 AND state <> 'erased'`,
      [handle],
    );
    return rows.map(({ id }) => id);
  },
  app: async ({ pool }, typed) => {
    const text = 'SELECT app_id AS id, name FROM authority.application ORDER BY app_id';
    return withName((await pool.query<{ id: string; name: string }>(text)).rows, typed);
  },
  operator: async ({ store }, typed) =>
    withName(
      (await namedOperators(store)).map(({ operatorId: id, name }) => ({ id, name })),
      typed,
    ),
};

const withName = (listed: readonly { readonly id: string; readonly name: string }[], typed: string) =>
  listed.filter(({ name }) => operatorNameKey(name) === operatorNameKey(typed)).map(({ id }) => id);

const nobody: Readonly<Record<SubjectKind, string>> = {
  actor: 'nobody has the id or present handle',
  app: 'no application has the id or name',
  grant: 'there is no grant',
  post: 'there is no post',
  operator: 'no operator has the id or name',
  claimed: 'nobody claimed the name',
};

const refused = (message: string) => new HttpRefusal('invalid_request', message);

const unknown = (message: string) =>
  refused(`${message}, or the audit does not have it yet (plaza audit --wait waits for the newest events).`);
