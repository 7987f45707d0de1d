import { createHash, randomBytes } from 'node:crypto';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { writeThrough } from '../../projections/authority/authority.projection.js';
import { evolveApplication, noApplication, registerApplication } from '../domain/application/application.js';
import { EventLog } from '../log/event-log.js';
import type { EventMetadata } from '../log/recorded.js';
import { streams } from '../log/streams.js';
import { AuthorityStore } from '../store/authority/authority-store.js';
import { ClientSecretRow } from '../store/authority/client-secret.row.js';
import { Clock, Ids } from './ambient.js';
import { decideOn } from './decide-on.js';

/** What the application authenticates with at the token endpoint. The secret is told this once and kept nowhere. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export class RegisterApplication extends Command<ClientCredentials> {
  constructor(
    readonly name: string,
    readonly redirectUris: readonly string[],
    readonly scopes: readonly string[],
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/** How a client secret is kept. SHA-256 is enough for 256 random bits. */
export function secretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

@CommandHandler(RegisterApplication)
export class RegisterApplicationHandler implements ICommandHandler<RegisterApplication> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** @throws {Refusal} `invalid_text`; whatever log and store throw: then try again, which makes another application. */
  async execute({ name, redirectUris, scopes, metadata }: RegisterApplication): Promise<ClientCredentials> {
    const appId = this.ids.random();
    // Basic credentials are percent-decoded by the server (RFC 6749 2.3.1), not encoded by every client: no character
    // of either would change.
    const clientSecret = randomBytes(32).toString('base64url');
    // First, since a secret of nothing does no harm, and an application without one is of no use.
    await this.store.db.insert(ClientSecretRow, {
      appId,
      secretHash: secretHash(clientSecret),
      expiresAt: null,
    });
    const registered = await decideOn(this.log, this.ids, {
      stream: streams.application(appId),
      initial: noApplication,
      evolve: evolveApplication,
      decide: (state) =>
        registerApplication(state, { appId, name, redirectUris, scopes, at: this.clock.now() }),
      metadata,
    });
    await writeThrough(registered, this.store.db);
    return { clientId: appId, clientSecret };
  }
}
