import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import {
  evolveApplication,
  noApplication,
  registerApplication,
} from '../../domain/application/application.js';
import { Refusal } from '../../domain/refusal.js';
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

export class RegisterApplication extends Command<ClientCredentials> {
  constructor(
    readonly application: NewApplication,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RegisterApplication)
export class RegisterApplicationHandler implements ICommandHandler<RegisterApplication> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** @throws {Refusal} `invalid_text`; errors of log and store. Repeating registers another application. */
  async execute({ application, metadata }: RegisterApplication): Promise<ClientCredentials> {
    const appId = this.ids.random();
    const draft = { postLogoutRedirectUris: [], ...application, appId, at: this.clock.now() };
    // Checked before any write: the secret of a refused application would stay for good.
    const decision = registerApplication(noApplication, draft);
    if (decision instanceof Refusal) throw decision;
    const clientSecret = newClientSecret();
    // Before the event: an unused secret is harmless, an application without a secret is useless.
    await this.store.db.insert(ClientSecretRow, {
      appId,
      secretHash: credentialHash(clientSecret),
      expiresAt: null,
    });
    const { added } = await handleCommand(this.log, this.ids, {
      stream: streams.application(appId),
      initial: noApplication,
      evolve: evolveApplication,
      decide: (state) => registerApplication(state, draft),
      metadata,
    });
    await projectInline(added, this.store.db);
    return { clientId: appId, clientSecret };
  }
}
