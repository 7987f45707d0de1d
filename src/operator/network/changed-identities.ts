import { z } from 'zod';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';

const SHOWN = 20;
const SHOWN_DAYS = 7;

/** An application whose redirect addresses and secret changed within a day; `at`: the later of both, in Unix milliseconds. */
export const changedIdentityShape = z.strictObject({
  clientId: z.string(),
  name: z.string(),
  at: z.number(),
});

const statement = {
  name: 'applications.changed-identity',
  text: `SELECT app_id AS "clientId", name, identity_changed_at::float8 AS at FROM authority.application
    WHERE identity_changed_at > $1 ORDER BY identity_changed_at DESC, app_id LIMIT ${SHOWN}`,
};

export const changedIdentities = (store: AuthorityStore, now: number) =>
  store.rows<z.infer<typeof changedIdentityShape>>(statement, [now - SHOWN_DAYS * 24 * 60 * 60_000]);
