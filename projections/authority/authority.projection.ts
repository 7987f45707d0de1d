import type { Recorded } from '../../src/log/recorded.js';
import { dispatcherOf } from '../runner/projection.js';
import type { Group, Projection } from '../runner/projection.js';
import {
  changeApplication,
  changeAddress,
  changeProfile,
  eraseAccount,
  issueGrant,
  scheduleErasure,
  registerAccount,
  registerApplication,
  revokeGrant,
  setAccountState,
  setApplicationState,
  setPublishing,
  setRegistration,
  changeHandle,
  recordGrantUse,
  recordSecretRotation,
} from './authority.sql.js';
import { approvalHandlers } from './approvals.handlers.js';
import { batchHandlers } from './batches.handlers.js';
import { operatorHandlers } from './operators.handlers.js';

/**
 * Accounts, applications, grants, operators, batches, approvals, registration and the pause of publishing, with the names that sign-in and applications
 * need. The tables belong to the authority store. They outlive a rebuild, because their credentials and tokens are not
 * in the log.
 */
export const authority: Projection = {
  name: 'authority',
  version: 8,
  tables: '',
  handlers: {
    'account.registered': ({ event: { data }, revision, erased }, write) => {
      write(registerAccount, {
        actor_id: data.actorId,
        handle: erased ? null : data.handle,
        display_name: data.displayName,
        email: data.email,
        state: erased ? 'erased' : 'active',
        registered_at: data.at,
        revision: String(revision),
      });
    },
    'account.suspended': ({ event: { data }, revision }, write) => {
      const { actorId: actor_id, at } = data;
      write(setAccountState, { actor_id, state: 'suspended', at, revision: String(revision) });
    },
    'account.reinstated': ({ event: { data }, revision }, write) => {
      const { actorId: actor_id, at } = data;
      write(setAccountState, { actor_id, state: 'active', at, revision: String(revision) });
    },
    'account.erasure_requested': ({ event: { data }, revision }, write) =>
      write(scheduleErasure, {
        actor_id: data.actorId,
        erases_at: data.erasesAt,
        revision: String(revision),
      }),
    'account.erasure_cancelled': ({ event: { data }, revision }, write) =>
      write(scheduleErasure, { actor_id: data.actorId, erases_at: null, revision: String(revision) }),
    'account.erased': ({ event: { data }, revision }, write) =>
      write(eraseAccount, { actor_id: data.actorId, at: data.at, revision: String(revision) }),
    'profile.changed': ({ event: { data }, erased }, write) => {
      if (erased) return;
      const { actorId: actor_id, handle, revision } = data;
      write(changeProfile, {
        actor_id,
        display_name: data.displayName,
        shows_handle: handle !== null,
        website: data.website,
        profile_revision: revision,
        profile_changed_at: data.at,
      });
      if (handle !== null) write(changeHandle, { actor_id, handle, handle_revision: revision });
    },
    'account.address_changed': ({ event: { data }, revision, erased }, write) => {
      if (erased) return;
      write(changeAddress, {
        actor_id: data.actorId,
        email: data.address,
        address_revision: String(revision),
      });
    },
    'application.registered': ({ event: { data }, revision }, write) => {
      write(registerApplication, {
        app_id: data.appId,
        name: data.name,
        redirect_uris: data.redirectUris,
        post_logout_redirect_uris: data.postLogoutRedirectUris,
        scopes: data.scopes,
        registered_at: data.at,
        revision: String(revision),
      });
    },
    'application.suspended': ({ event: { data }, revision }, write) => {
      write(setApplicationState, { app_id: data.appId, state: 'suspended', revision: String(revision) });
    },
    'application.reinstated': ({ event: { data }, revision }, write) => {
      write(setApplicationState, { app_id: data.appId, state: 'active', revision: String(revision) });
    },
    'application.changed': ({ event: { data }, revision }, write) =>
      write(changeApplication, {
        app_id: data.appId,
        name: data.name,
        redirect_uris: data.redirectUris,
        post_logout_redirect_uris: data.postLogoutRedirectUris,
        scopes: data.scopes,
        former_names: data.formerNames,
        removes_scopes: data.removedScopes.length > 0,
        redirects_changed_at: data.changed.includes('redirectUris') ? data.at : null,
        change_revision: String(revision),
      }),
    'application.secret_rotated': ({ event: { data } }, write) =>
      write(recordSecretRotation, { app_id: data.appId, rotated_at: data.at }),
    'grant.issued': ({ event: { data } }, write) => {
      write(issueGrant, {
        grant_id: data.grantId,
        app_id: data.appId,
        actor_id: data.actorId,
        scopes: data.scopes,
        issued_at: data.at,
      });
    },
    'grant.refreshed': ({ event: { data } }, write) => {
      write(recordGrantUse, { grant_id: data.grantId, last_used_at: data.at });
    },
    'grant.revoked': ({ event: { data } }, write) => {
      write(revokeGrant, {
        grant_id: data.grantId,
        app_id: data.appId,
        actor_id: data.actorId,
        revoked_at: data.at,
      });
    },
    'network.publishing_paused': ({ revision }, write) =>
      write(setPublishing, { paused: true, revision: String(revision) }),
    'network.publishing_resumed': ({ revision }, write) =>
      write(setPublishing, { paused: false, revision: String(revision) }),
    'registration.opened': ({ revision }, write) =>
      write(setRegistration, { is_open: true, revision: String(revision) }),
    'registration.closed': ({ revision }, write) =>
      write(setRegistration, { is_open: false, revision: String(revision) }),
    ...operatorHandlers,
    ...batchHandlers,
    ...approvalHandlers,
  },
};

/**
 * A separate group: authority must not wait for timelines. It may linger, because commands project revocations inline;
 * the worker only repairs what they missed, and records the last use of grants.
 */
export const authorityGroup: Group = { name: 'authority', projections: [authority], lingerMs: 100 };

const handle = dispatcherOf(authorityGroup);

/**
 * Applies events in the writer's process, so that grants and revocations hold without waiting for a worker. The worker
 * applies the same events again, which changes nothing or repairs a missed write.
 */
export async function projectInline(
  recorded: readonly Recorded[],
  db: { query(sql: string, parameters: unknown[]): Promise<unknown> },
): Promise<void> {
  const writes: { sql: string; row: object }[] = [];
  for (const each of recorded) handle(each, ({ sql }, row) => writes.push({ sql, row }));
  for (const { sql, row } of writes) await db.query(sql, [JSON.stringify([row])]);
}
