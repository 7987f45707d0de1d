import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Passwords } from '../../doors/auth/passwords.js';
import { Addresses } from '../../commands/account/addresses.js';
import { DataFiles } from '../../doors/auth/own-data/data-files.js';
import { DownloadSlots } from '../../doors/auth/own-data/download-slots.js';
import { OperatorLinks } from '../../commands/account/operator-links.js';
import { Allowances } from '../../commands/approval/allowances.js';
import { Recusals } from '../../commands/support/recusals.js';
import { SigningKeys } from '../../commands/network/signing-keys.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { Config } from '../../base/config/config.js';
import { LOGGER } from '../../base/config/logger.js';
import { PublicPosts } from '../../doors/api/admission/public-posts.js';
import { PublishedStatements } from '../../doors/api/admission/published-statements.js';
import { PublicProfiles } from '../../doors/api/admission/public-profiles.js';
import { Health } from '../../server/health/health.js';
import { PositionListener } from '../../base/store/position-listener.js';
import { EventLog } from '../../log/event-log.js';
import { LogKeys } from '../../log/vault/log-keys.js';
import { NetworkSecrets } from '../../log/vault/network-secrets.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Postgres } from '../../base/store/postgres.js';
import { RestrictionProof } from '../../doors/api/admission/restriction-proof.js';
import { FourEyes } from './approvals/four-eyes.js';
import { PasskeyLinks } from './identity/passkey-links.js';
import { PasskeyChallenges, passkeySecretIn } from '../../server/passkeys/challenges.js';
import { Passkeys } from './identity/passkeys.js';
import { Witness } from '../../log/witness/witness.js';

export interface ActServices {
  readonly commands: CommandBus;
  readonly config: Config;
  readonly pool: Pool;
  readonly store: AuthorityStore;
  readonly log: EventLog;
  readonly vault: KeyVault;
  readonly witness: Witness;
  readonly positions: PositionListener;
  readonly published: PublishedStatements;
  readonly publicPosts: PublicPosts;
  readonly publicProfiles: PublicProfiles;
  readonly passwords: Passwords;
  readonly signingKeys: SigningKeys;
  readonly logKeys: LogKeys;
  readonly passkeys: Passkeys;
  readonly passkeyLinks: PasskeyLinks;
  readonly fourEyes: FourEyes;
  readonly allowances: Allowances;
  readonly recusals: Recusals;
  readonly operatorLinks: OperatorLinks;
  readonly addresses: Addresses;
  readonly dataFiles: DataFiles;
  readonly downloadSlots: DownloadSlots;
  readonly health: Health;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
}

export function actServicesOf(app: INestApplicationContext): ActServices {
  const config = app.get(Config);
  const parts = { store: app.get(AuthorityStore), clock: app.get(Clock), ids: app.get(IdGenerator) };
  const { pool } = app.get(Postgres);
  const log = app.get(EventLog);
  const witness = app.get(Witness);
  return {
    ...parts,
    config,
    commands: app.get(CommandBus),
    pool,
    log,
    vault: app.get(KeyVault),
    witness,
    fourEyes: new FourEyes({ ...parts, config, pool, log, witness, proof: app.get(RestrictionProof) }),
    allowances: app.get(Allowances),
    recusals: app.get(Recusals),
    operatorLinks: app.get(OperatorLinks),
    addresses: app.get(Addresses),
    dataFiles: app.get(DataFiles),
    downloadSlots: app.get(DownloadSlots),
    positions: app.get(PositionListener),
    published: app.get(PublishedStatements),
    publicPosts: app.get(PublicPosts),
    publicProfiles: app.get(PublicProfiles),
    passwords: app.get(Passwords),
    signingKeys: app.get(SigningKeys),
    logKeys: app.get(LogKeys),
    health: app.get(Health),
    passkeyLinks: new PasskeyLinks(parts.store, parts.clock),
    passkeys: new Passkeys({
      ...parts,
      origin: config.operatorBaseUrl,
      challenges: new PasskeyChallenges({ ...parts, secret: passkeySecretIn(app.get(NetworkSecrets)) }),
    }),
    logger: app.get<Logger>(LOGGER),
  };
}
