import { describe, expect, it } from '@jest/globals';
import type { Recorded } from '../../src/log/recorded.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { eventTypesOf } from '../runner/projection.js';
import { authorityGroup, projectInline } from './authority.projection.js';

const recorded = (event: StoredEvent, erased = false): Recorded => ({
  id: 'e',
  stream: 's',
  revision: 0n,
  position: 7n,
  event,
  metadata: { requestId: 'r' },
  erased,
});

async function written(...events: Recorded[]): Promise<object[]> {
  const rows: object[] = [];
  await projectInline(events, {
    query: (_sql, [json]) => Promise.resolve(rows.push(...(JSON.parse(String(json)) as object[]))),
  });
  return rows;
}

describe('the authority projection', () => {
  it('handles accounts, profiles, applications, grants, operators, batches, approvals, registration and pauses', () => {
    expect(eventTypesOf(authorityGroup)).toEqual([
      'account.address_changed',
      'account.erased',
      'account.erasure_cancelled',
      'account.erasure_requested',
      'account.registered',
      'account.reinstated',
      'account.suspended',
      'application.changed',
      'application.registered',
      'application.reinstated',
      'application.secret_rotated',
      'application.suspended',
      'approval.carried_out',
      'approval.given',
      'approval.refused',
      'approval.requested',
      'approval.used',
      'approval.voided',
      'batch.applied',
      'batch.requested',
      'batch.undo_requested',
      'batch.undone',
      'grant.issued',
      'grant.refreshed',
      'grant.revoked',
      'network.publishing_paused',
      'network.publishing_resumed',
      'network.shared_token_limited',
      'operator.confirmed',
      'operator.enrolled',
      'operator.four_eyes_lifted',
      'operator.four_eyes_required',
      'operator.invited',
      'operator.passkey_registered',
      'operator.passkey_removed',
      'operator.reinstated',
      'operator.roles_changed',
      'operator.signed_out',
      'operator.suspended',
      'operator.token_issued',
      'operator.token_revoked',
      'profile.changed',
      'registration.closed',
      'registration.opened',
    ]);
  });

  it('stores no handle of an erased account', async () => {
    const data = { actorId: 'a', handle: '', displayName: '', email: '', at: 1 };
    expect(await written(recorded({ type: 'account.registered', data }, true))).toEqual([
      expect.objectContaining({ actor_id: 'a', handle: null, state: 'erased' }),
    ]);
  });

  it('writes in the order of the log, and ignores other event types', async () => {
    const grant = { grantId: 'g', appId: 'app', actorId: 'a' };
    const rows = await written(
      recorded({ type: 'grant.issued', data: { ...grant, scopes: ['read'], at: 1 } }),
      recorded({ type: 'handle.claimed', data: { actorId: 'a', at: 2 } }),
      recorded({ type: 'grant.revoked', data: { ...grant, cause: 'reuse', at: 3 } }),
    );
    expect(rows).toEqual([
      { grant_id: 'g', app_id: 'app', actor_id: 'a', scopes: ['read'], issued_at: 1 },
      { grant_id: 'g', app_id: 'app', actor_id: 'a', revoked_at: 3 },
    ]);
  });
});
