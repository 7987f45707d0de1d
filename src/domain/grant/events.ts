import { z } from 'zod';
import { clear, event, id, inData, pseudonym } from '../event.js';
import type { EventIn } from '../event.js';

const grant = { grantId: pseudonym(id), appId: clear(id), actorId: pseudonym(id) };

export const grantEvents = {
  'grant.issued': event({ ...grant, scopes: inData(z.array(z.string())) }),
  'grant.refreshed': event(grant),
  /** A single-use code or token was used again, so an attacker may hold a copy. The revocation is in the same append. */
  'grant.reuse_detected': event({ ...grant, of: inData(z.enum(['authorization_code', 'refresh_token'])) }),
  /** Always the last event of its stream, so that the newest event shows whether the grant is active. */
  'grant.revoked': event({ ...grant, cause: clear(z.enum(['client', 'person', 'operator', 'reuse'])) }),
};

export type GrantIssued = EventIn<typeof grantEvents, 'grant.issued'>;
export type GrantRefreshed = EventIn<typeof grantEvents, 'grant.refreshed'>;
export type GrantReuseDetected = EventIn<typeof grantEvents, 'grant.reuse_detected'>;
export type GrantRevoked = EventIn<typeof grantEvents, 'grant.revoked'>;
