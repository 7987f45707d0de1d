import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import type { Logger } from 'pino';
import { serving } from '../../projections/groups.js';
import { PositionListener } from '../../projections/runner/position-listener.js';
import { versionsOf } from '../../projections/runner/projection.js';
import { Clock } from '../commands/ambient.js';
import { CreatePostHandler } from '../commands/create-post.js';
import { LOGGER } from '../config/logger.js';
import { EventLog } from '../log/event-log.js';
import { NetworkSecrets } from '../log/vault/network-secrets.js';
import { Postgres } from '../store/postgres.js';
import { ActorsController } from './actors.controller.js';
import { CredentialGuard } from './admission/credential.js';
import { MutationAdmission } from './admission/mutation-admission.js';
import { OwnWrites } from './admission/own-writes.js';
import type { Positions } from './admission/positions.js';
import { ProtectedReads } from './admission/protected-reads.js';
import { PublicationCache } from './admission/publication.js';
import { ErrorFilter } from './error.filter.js';
import { HealthController } from './health.controller.js';
import { Health } from './health.js';
import { PageCursors } from './page-cursor.js';
import { PostsController } from './posts.controller.js';
import { ProfileController } from './profile.controller.js';
import { readinessChecks } from './readiness-checks.js';
import { ReconcileController } from './reconcile.controller.js';
import { SessionController } from './session.controller.js';
import { validation } from './validation.js';

/** The social API: admission, then a query of the read models or a command. */
@Module({
  controllers: [
    ActorsController,
    HealthController,
    PostsController,
    ProfileController,
    ReconcileController,
    SessionController,
  ],
  providers: [
    CreatePostHandler,
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_GUARD, useClass: CredentialGuard },
    { provide: APP_PIPE, useValue: validation },
    {
      provide: MutationAdmission,
      inject: [Postgres, Clock],
      useFactory: ({ pool }: Postgres, clock: Clock) => new MutationAdmission(pool, clock),
    },
    {
      provide: ProtectedReads,
      inject: [Postgres, PositionListener, Clock],
      useFactory: ({ pool }: Postgres, positions: Positions, clock: Clock) =>
        new ProtectedReads(pool, new PublicationCache(pool, versionsOf(serving)), positions, clock),
    },
    {
      provide: OwnWrites,
      inject: [Postgres, PositionListener],
      useFactory: ({ pool }: Postgres, positions: Positions) => new OwnWrites(pool, positions),
    },
    {
      provide: PageCursors,
      inject: [NetworkSecrets],
      useFactory: async (secrets: NetworkSecrets) =>
        new PageCursors(await secrets.get('page-cursors', () => randomBytes(32))),
    },
    {
      provide: Health,
      inject: [Postgres, EventLog, LOGGER],
      useFactory: ({ pool }: Postgres, log: EventLog, logger: Logger) =>
        new Health(readinessChecks(pool, log), logger),
    },
  ],
})
export class HttpModule {}
