import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import type { Logger } from 'pino';
import { PositionListener } from '../../base/store/position-listener.js';
import { BoundedClock } from '../../base/support/bounded-clock.js';
import { Clock } from '../../base/support/clock.js';
import { CommandsModule } from '../../commands/commands.module.js';
import { Config } from '../../base/config/config.js';
import { limits } from '../../base/config/limit-settings.js';
import { LOGGER } from '../../base/config/logger.js';
import { TrustedProxies } from '../../base/config/trusted-proxies.js';
import { EventLog } from '../../log/event-log.js';
import { NetworkSecrets } from '../../log/vault/network-secrets.js';
import { Postgres } from '../../base/store/postgres.js';
import { ActorPostsController } from './resources/posts/actor-posts.controller.js';
import { ActorsController } from './resources/actors/actors.controller.js';
import { CredentialGuard } from './admission/credential.js';
import { ReadYourWrites } from './admission/read-your-writes.js';
import type { Positions } from './admission/positions.js';
import { ProtectedReads } from './admission/protected-reads.js';
import { PublicPosts } from './admission/public-posts.js';
import { PublicProfiles } from './admission/public-profiles.js';
import { PublishedStatements } from './admission/published-statements.js';
import { RestrictionProof } from './admission/restriction-proof.js';
import { SharedReads } from './admission/shared-reads.js';
import { SignInAdmission } from './admission/sign-in-admission.js';
import { BlocksController } from './resources/relations/blocks.controller.js';
import { DocsController } from './resources/docs/docs.controller.js';
import { errorBody, ErrorFilter } from '../../server/error.filter.js';
import { EventsController } from './resources/events/events.controller.js';
import { EventStreams } from './resources/events/event-streams.js';
import { FeedReads } from './resources/events/feed-reads.js';
import { FollowingController } from './resources/relations/following.controller.js';
import { HealthController } from '../../server/health/health.controller.js';
import { Health } from '../../server/health/health.js';
import { InboxController } from './resources/inbox/inbox.controller.js';
import { IntentsController } from './resources/intents/intents.controller.js';
import { RequestLimits } from './limits/request-limits.js';
import { LandingController } from './resources/landing/landing.controller.js';
import { NetworkNumbers } from './resources/landing/network-numbers.js';
import { LogCheck } from '../../server/health/log-check.js';
import { Operations } from '../../server/operations.js';
import { RefusalPages } from '../../server/refusal-pages.js';
import { LogKeyController } from './resources/log-key.controller.js';
import { documentOf } from './openapi/document.js';
import { endpointsOf } from './openapi/endpoint.js';
import { API_DOCUMENT, OpenApiController } from './openapi/openapi.controller.js';
import { documentedProtocolEndpoints } from './openapi/protocol-endpoints.js';
import { PageCursors } from './requests/page-cursor.js';
import { PagedReads } from './requests/paged-reads.js';
import { PostReadsController } from './resources/posts/post-reads.controller.js';
import { PostsController } from './resources/posts/posts.controller.js';
import { ProfileController } from './resources/actors/profile.controller.js';
import { readinessChecks } from './readiness-checks.js';
import { ReconcileController } from './resources/reconcile.controller.js';
import { RelationsController } from './resources/relations/relations.controller.js';
import { ReportsController } from './resources/reports/reports.controller.js';
import { SessionController } from './resources/session.controller.js';
import { TimelineController } from './resources/timeline.controller.js';
import { validation } from './requests/validation.js';

const unlimitedStreams = { ofListener: Infinity, ofProcess: Infinity, anonymous: Infinity };

@Module({
  imports: [CommandsModule],
  controllers: [
    ActorPostsController,
    ActorsController,
    BlocksController,
    DocsController,
    FollowingController,
    EventsController,
    HealthController,
    InboxController,
    IntentsController,
    LandingController,
    LogKeyController,
    OpenApiController,
    PostReadsController,
    PostsController,
    ProfileController,
    ReconcileController,
    RelationsController,
    ReportsController,
    SessionController,
    TimelineController,
  ],
  providers: [
    {
      provide: Operations,
      useFactory: () => new Operations([...endpointsOf(HttpModule), ...documentedProtocolEndpoints]),
    },
    {
      provide: APP_FILTER,
      inject: [Operations, Config],
      useFactory: (operations: Operations, { operatorContact }: Config) =>
        new ErrorFilter(new RefusalPages(operations, operatorContact)),
    },
    {
      provide: NetworkNumbers,
      inject: [Postgres, Clock, Config],
      useFactory: ({ pool }: Postgres, clock: Clock, { publicNumbers }: Config) =>
        new NetworkNumbers(pool, clock, publicNumbers),
    },
    { provide: APP_GUARD, useClass: CredentialGuard },
    { provide: APP_PIPE, useValue: validation },
    {
      provide: SignInAdmission,
      inject: [Postgres, RestrictionProof],
      useFactory: ({ pool }: Postgres, proof: RestrictionProof) => new SignInAdmission(pool, proof),
    },
    {
      provide: RequestLimits,
      inject: [Postgres, NetworkSecrets, Clock, Config],
      useFactory: async (
        { pool }: Postgres,
        secrets: NetworkSecrets,
        clock: Clock,
        { trustedProxies, rateLimits }: Config,
      ) =>
        new RequestLimits(
          pool,
          await secrets.get('limit-keys', () => randomBytes(32)),
          clock,
          new TrustedProxies(trustedProxies),
          rateLimits === 'off' ? 'off' : limits,
        ),
    },
    {
      provide: ProtectedReads,
      inject: [PublishedStatements, PositionListener, Clock, RequestLimits, RestrictionProof],
      useFactory: (...parts: ConstructorParameters<typeof ProtectedReads>) => new ProtectedReads(...parts),
    },
    {
      provide: SharedReads,
      inject: [PublishedStatements, PositionListener, Clock, RestrictionProof],
      useFactory: (...parts: ConstructorParameters<typeof SharedReads>) => new SharedReads(...parts),
    },
    {
      provide: PublicPosts,
      inject: [PublishedStatements, Clock, RestrictionProof],
      useFactory: (...parts: ConstructorParameters<typeof PublicPosts>) => new PublicPosts(...parts),
    },
    {
      provide: PublicProfiles,
      inject: [PublishedStatements, Clock, RestrictionProof],
      useFactory: (statements: PublishedStatements, clock: Clock, proof: RestrictionProof) =>
        new PublicProfiles({ statements, clock, proof }),
    },
    {
      provide: ReadYourWrites,
      inject: [Postgres, PositionListener],
      useFactory: ({ pool }: Postgres, positions: Positions) => new ReadYourWrites(pool, positions),
    },
    {
      provide: API_DOCUMENT,
      inject: [Config],
      useFactory: ({ baseUrl }: Config) => documentOf(HttpModule, baseUrl),
    },
    {
      provide: PageCursors,
      inject: [NetworkSecrets],
      useFactory: async (secrets: NetworkSecrets) =>
        new PageCursors(await secrets.get('page-cursors', () => randomBytes(32))),
    },
    {
      provide: PagedReads,
      inject: [ProtectedReads, PageCursors],
      useFactory: (reads: ProtectedReads, cursors: PageCursors) => new PagedReads(reads, cursors),
    },
    {
      provide: FeedReads,
      inject: [ProtectedReads, SharedReads],
      useFactory: (single: ProtectedReads, shared: SharedReads) => new FeedReads(single, shared),
    },
    {
      provide: EventStreams,
      inject: [PositionListener, Clock, FeedReads, LOGGER, Config],
      useFactory: (
        news: PositionListener,
        clock: Clock,
        reads: FeedReads,
        logger: Logger,
        { rateLimits }: Config,
      ) =>
        new EventStreams(
          { changes: news, clock, reads, explain: (fault) => errorBody(fault, logger) },
          rateLimits === 'off' ? unlimitedStreams : limits.openStreams,
        ),
    },
    {
      provide: Health,
      inject: [Postgres, EventLog, RestrictionProof, BoundedClock, LOGGER, Config],
      useFactory: (
        { pool }: Postgres,
        log: EventLog,
        proof: RestrictionProof,
        clock: BoundedClock,
        logger: Logger,
        config: Config,
      ) => {
        const logCheck = new LogCheck(log, () => performance.now(), clock);
        return new Health(readinessChecks({ pool, log: logCheck, proof, clock, config }), logger);
      },
    },
  ],
})
export class HttpModule {}
