import { Command } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import {
  noApplication,
  registerApplication,
  reinstateApplication,
  rotateSecret,
  suspendApplication,
} from '../../domain/application/application.js';
import type { ExpectedLifecycle } from '../../domain/lifecycle.js';
import { Refusal } from '../../domain/refusal.js';
import type { EventMetadata } from '../../log/recorded.js';
import { ClientSecretRow } from '../../base/store/authority/client-secret.row.js';
import { credentialHash } from '../../base/store/authority/credential-hash.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import type { LifecycleChange } from '../support/write-side.js';
import { newClientSecret } from './client-secret.js';

/** The secret is returned once; only its hash is stored. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface NewApplication {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris?: readonly string[];
  readonly scopes: readonly string[];
}

/** @throws {Refusal} `invalid_text`; errors of log and store. Repeating registers another application. */
export class RegisterApplication extends Command<ClientCredentials> {
  constructor(
    readonly application: NewApplication,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export interface RotatedSecret extends ClientCredentials {
  readonly previousUntil: number;
}

/**
 * Adds a secret to an application; its previous ones stay valid for `overlapMs` at most. Not idempotent.
 * @throws {Refusal} `not_found`; errors of log and store: the secrets are then unchanged.
 */
export class RotateClientSecret extends Command<RotatedSecret> {
  constructor(
    readonly appId: string,
    readonly overlapMs: number,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

abstract class StateCommand extends Command<LifecycleChange> {
  constructor(
    readonly appId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle = {},
  ) {
    super();
  }
}

/**
 * Suspends an application, effective on its next request to any process. Idempotent.
 * @throws {Refusal} `not_found`, `lifecycle_revision_conflict`; errors of log and store.
 */
export class SuspendApplication extends StateCommand {}

/** Reinstates an application: grants that did not end meanwhile are valid again. */
export class ReinstateApplication extends StateCommand {}

export const applicationHandlers = [
  handles(RegisterApplication, async ({ application, metadata }, write) => {
    const appId = write.ids.random();
    const draft = { postLogoutRedirectUris: [], ...application, appId, at: write.now() };
    // Checked before any write: the secret of a refused application would stay for good.
    const decision = registerApplication(noApplication, draft);
    if (decision instanceof Refusal) throw decision;
    const clientSecret = newClientSecret();
    const { db } = write.store;
    // Before the event: an unused secret is harmless, an application without a secret is useless.
    await db.insert(ClientSecretRow, { appId, secretHash: credentialHash(clientSecret), expiresAt: null });
    const { added } = await write.change(aggregates.application(appId), metadata, (state) =>
      registerApplication(state, draft),
    );
    await projectInline(added, db);
    return { clientId: appId, clientSecret };
  }),

  handles(RotateClientSecret, ({ appId, overlapMs, metadata }, write) => {
    const clientSecret = newClientSecret();
    return write.store.transaction(async () => {
      const { db } = write.store;
      // Serializes concurrent rotations: the later one must expire the new secret of the earlier one.
      await db.query('SELECT FROM authority.application WHERE app_id = $1 FOR UPDATE', [appId]);
      const at = write.now();
      const previousUntil = at + overlapMs;
      await db.query(
        `UPDATE authority.client_secret SET expires_at = to_timestamp($2::double precision / 1000)
         WHERE app_id = $1 AND (expires_at IS NULL OR expires_at > to_timestamp($2::double precision / 1000))`,
        [appId, previousUntil],
      );
      await db.query(
        `DELETE FROM authority.client_secret
         WHERE app_id = $1 AND expires_at <= to_timestamp($2::double precision / 1000)`,
        [appId, at],
      );
      await db.insert(ClientSecretRow, { appId, secretHash: credentialHash(clientSecret), expiresAt: null });
      // Last, so that an appended event implies the rows, unless the commit itself fails.
      await write.change(aggregates.application(appId), metadata, (application) =>
        rotateSecret(application, { appId, overlapMs, at }),
      );
      return { clientId: appId, clientSecret, previousUntil };
    });
  }),

  handles(SuspendApplication, ({ appId, metadata, expected }, write) =>
    write.lifecycle(aggregates.application(appId), metadata, (application) =>
      suspendApplication(application, { appId, at: write.now(), ...expected }),
    ),
  ),

  handles(ReinstateApplication, ({ appId, metadata, expected }, write) =>
    write.lifecycle(aggregates.application(appId), metadata, (application) =>
      reinstateApplication(application, { appId, at: write.now(), ...expected }),
    ),
  ),
];
