import { z } from 'zod';
import {
  casesAboutShape,
  casesOfPerson,
  casesOfPost,
  reportsByShape,
} from '../../../projections/cases/dossier.read-model.js';
import { actorNumbersShape } from '../../../projections/profile/actor-numbers.read-model.js';
import type { OperatorLink } from '../../domain/account/recovery-link.js';
import { isGrantUsable } from '../../commands/grant/usable-grants.js';
import { postOfEvents } from '../../commands/post/post-outcome.js';
import { streams } from '../../log/streams.js';
import { auditEntry } from '../audit/entry.js';
import { applicationChange, changesOf } from './application-changes.js';
import { listedApplication } from '../desk/applications.js';
import { listOf } from '../desk/schemas.js';
import type { ActServices } from '../desk/services.js';

type Stores = Pick<
  ActServices,
  'pool' | 'store' | 'log' | 'clock' | 'publicPosts' | 'publicProfiles' | 'operatorLinks'
>;

/**
 * Times are Unix milliseconds. Pages add the names of now; no erasure reaches an answer that left, so it has ids. `isMore`: older
 * events exist.
 */
const dossier = z.strictObject({
  timeline: listOf(auditEntry),
  isMore: z.boolean(),
});

export const accountDossier = dossier.extend({
  actorId: z.string(),
  state: z.enum(['active', 'suspended', 'erased']),
  registeredAt: z.number(),
  erasesAt: z.number().nullable(),
  /** A link that sets a new password. */
  recoveryLink: z
    .strictObject({ linkId: z.string(), worksFrom: z.number(), worksUntil: z.number() })
    .nullable(),
  grants: listOf(z.strictObject({ grantId: z.string(), clientId: z.string(), issuedAt: z.number() })),
  /** Null while the network refuses reads. */
  numbers: actorNumbersShape.nullable(),
  cases: casesAboutShape,
  /** Null: too few. */
  reportsBy: reportsByShape.nullable(),
});

/** `isEndingGrants`: grants still end, since a scope was removed. */
export const applicationDossier = dossier.extend({
  ...listedApplication.shape,
  formerNames: listOf(z.strictObject({ name: z.string(), until: z.number() })),
  isEndingGrants: z.boolean(),
  changes: listOf(applicationChange),
});

export const grantDossier = dossier.extend({
  grantId: z.string(),
  clientId: z.string(),
  actorId: z.string(),
  scopes: listOf(z.string()),
  issuedAt: z.number(),
  lastUsedAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
});

/** `text`: null unless anybody can read it now. */
export const postDossier = dossier.extend({
  postId: z.string(),
  status: z.enum(['published', 'restricted', 'deleted']),
  authorActorId: z.string(),
  clientId: z.string().nullable(),
  createdAt: z.number().nullable(),
  parentId: z.string().nullable(),
  rootId: z.string().nullable(),
  revision: z.number(),
  lifecycle: z.number(),
  text: z.string().nullable(),
  cases: casesAboutShape,
});

export type Dossier = z.infer<typeof dossier>;
export type AccountDossier = z.infer<typeof accountDossier>;
export type ApplicationDossier = z.infer<typeof applicationDossier>;
export type GrantDossier = z.infer<typeof grantDossier>;
export type PostDossier = z.infer<typeof postDossier>;

type Facts<Whole extends Dossier> = Omit<Whole, keyof Dossier>;

/** The newest usable grants. $1: now. $2: actor. */
const accountSql = `
  SELECT json_build_object('actorId', actor_id, 'state', state, 'registeredAt', registered_at, 'erasesAt', erases_at, 'grants', coalesce((
      SELECT json_agg(listed) FROM (
        SELECT grant_id AS "grantId", app_id AS "clientId", issued_at AS "issuedAt" FROM authority.app_grant
        WHERE app_grant.actor_id = account.actor_id AND ${isGrantUsable('$1')}
        ORDER BY issued_at DESC, grant_id LIMIT 50) listed), '[]')) AS facts
  FROM authority.account WHERE actor_id = $2`;

type AccountRow = Omit<Facts<AccountDossier>, 'numbers' | 'cases' | 'reportsBy' | 'recoveryLink'>;

export async function accountFacts(
  { store, clock, pool, publicProfiles, operatorLinks }: Stores,
  id: string,
): Promise<Facts<AccountDossier> | undefined> {
  const [account, cases, numbers, link] = await Promise.all([
    first<AccountRow>(store, accountSql, [clock.now(), id]),
    casesOfPerson(pool, id),
    publicProfiles.numbersOf(id),
    operatorLinks.openOf(id),
  ]);
  return account && { ...account, ...cases, numbers: numbers ?? null, recoveryLink: shownLink(link) };
}

const shownLink = (link: OperatorLink | undefined): AccountDossier['recoveryLink'] =>
  link ? { linkId: link.linkId, worksFrom: link.worksFrom, worksUntil: link.worksUntil } : null;

const applicationSql = `
  SELECT json_build_object('clientId', app_id, 'name', name, 'state', state, 'scopes', scopes,
    'redirectUris', redirect_uris, 'postLogoutRedirectUris', post_logout_redirect_uris, 'registeredAt', registered_at,
    'formerNames', former_names, 'isEndingGrants', is_ending_grants, 'grants', (
      SELECT count(*) FROM authority.app_grant
      WHERE app_grant.app_id = application.app_id AND ${isGrantUsable('$1')})) AS facts
  FROM authority.application WHERE app_id = $2`;

type ApplicationRow = Omit<Facts<ApplicationDossier>, 'changes'>;

export async function applicationFacts(
  { store, clock, log }: Stores,
  id: string,
): Promise<Facts<ApplicationDossier> | undefined> {
  const [application, changes] = await Promise.all([
    first<ApplicationRow>(store, applicationSql, [clock.now(), id]),
    changesOf(log, id),
  ]);
  return application && { ...application, changes };
}

const grantSql = `
  SELECT json_build_object('grantId', grant_id, 'clientId', app_id, 'actorId', actor_id, 'scopes', scopes,
    'issuedAt', issued_at, 'lastUsedAt', last_used_at, 'revokedAt', revoked_at) AS facts
  FROM authority.app_grant WHERE grant_id = $1`;

export const grantFacts = ({ store }: Stores, id: string) =>
  first<Facts<GrantDossier>>(store, grantSql, [id]);

export async function postFacts(
  { pool, log, publicPosts }: Stores,
  id: string,
): Promise<Facts<PostDossier> | undefined> {
  const recorded = await log.read(streams.post(id));
  const post = postOfEvents(recorded);
  if (post.status === 'absent') return undefined;
  const { status, authorActorId, revision, lifecycle, text } = post;
  const [cases, versions] = await Promise.all([casesOfPost(pool, id), publicPosts.versionsOf([id])]);
  const isPublic = versions.get(id)?.revision === revision && !recorded.some(({ erased }) => erased);
  const [first] = recorded;
  const created = first?.event.type === 'post.created' ? first.event.data : undefined;
  return {
    postId: id,
    status,
    authorActorId,
    clientId: created?.appId ?? null,
    createdAt: created?.at ?? null,
    parentId: created?.parentId ?? null,
    rootId: created?.rootId ?? null,
    revision,
    lifecycle,
    text: isPublic ? text : null,
    cases,
  };
}

/** `place`: the noun of its address. */
export const foundSubject = z.strictObject({
  place: z.enum(['accounts', 'applications', 'grants', 'posts']),
  id: z.string(),
});

export type FoundSubject = z.infer<typeof foundSubject>;

const findSql = `
  SELECT 'accounts' AS place, actor_id AS id FROM authority.account WHERE actor_id = $1 OR handle = $2
  UNION ALL SELECT 'applications', app_id FROM authority.application WHERE app_id = $1
  UNION ALL SELECT 'grants', grant_id FROM authority.app_grant WHERE grant_id = $1`;

export async function findSubjects({ store, log }: Stores, text: string): Promise<readonly FoundSubject[]> {
  const found = await store.db.query<FoundSubject[]>(findSql, [text, text.toLowerCase()]);
  const [post] = await log.read(streams.post(text), { limit: 1 });
  return post ? [...found, { place: 'posts', id: text }] : found;
}

async function first<Found>(
  store: Stores['store'],
  sql: string,
  values: unknown[],
): Promise<Found | undefined> {
  const [row] = await store.db.query<{ facts: Found }[]>(sql, values);
  return row?.facts;
}
