import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveApplication, noApplication, rotateSecret } from '../../domain/application/application.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { ClientSecretRow } from '../../base/store/authority/client-secret.row.js';
import { credentialHash } from '../../base/store/authority/credential-hash.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { newClientSecret } from './client-secret.js';
import { handleCommand } from '../support/handle-command.js';
import type { ClientCredentials } from './register-application.js';

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

@CommandHandler(RotateClientSecret)
export class RotateClientSecretHandler implements ICommandHandler<RotateClientSecret> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ appId, overlapMs, metadata }: RotateClientSecret): Promise<RotatedSecret> {
    const clientSecret = newClientSecret();
    return this.store.transaction(async () => {
      const { db } = this.store;
      // Serializes concurrent rotations: the later one must expire the new secret of the earlier one.
      await db.query('SELECT FROM authority.application WHERE app_id = $1 FOR UPDATE', [appId]);
      const now = this.clock.now();
      const previousUntil = now + overlapMs;
      await db.query(
        `UPDATE authority.client_secret SET expires_at = to_timestamp($2::double precision / 1000)
         WHERE app_id = $1 AND (expires_at IS NULL OR expires_at > to_timestamp($2::double precision / 1000))`,
        [appId, previousUntil],
      );
      await db.query(
        `DELETE FROM authority.client_secret
         WHERE app_id = $1 AND expires_at <= to_timestamp($2::double precision / 1000)`,
        [appId, now],
      );
      await db.insert(ClientSecretRow, { appId, secretHash: credentialHash(clientSecret), expiresAt: null });
      // Last, so that an appended event implies the rows, unless the commit itself fails.
      await handleCommand(this.log, this.ids, {
        stream: streams.application(appId),
        initial: noApplication,
        evolve: evolveApplication,
        decide: (application) => rotateSecret(application, { appId, overlapMs, at: now }),
        metadata,
      });
      return { clientId: appId, clientSecret, previousUntil };
    });
  }
}
