import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { AuthModule } from '../../doors/auth/auth.module.js';
import { mountAuthorizationServer } from '../../doors/auth/mount.js';
import { PasswordCheck } from '../../doors/auth/sign-in/password-check.js';
import { PendingCaseEffects } from '../../background/cases/pending-case-effects.js';
import { Clock } from '../../base/support/clock.js';
import { limits } from '../../base/config/limit-settings.js';
import { TrustedProxies } from '../../base/config/trusted-proxies.js';
import { busyPage } from '../../doors/auth/pages/fault.page.js';
import { shedOverload } from '../../server/overload.js';
import { Operations } from '../../server/operations.js';
import { BUSY, prepareRefusals } from '../../server/overload-refusals.js';
import { strictTransport } from '../../server/strict-transport.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { readConfig, storesOf } from '../../base/config/config.js';
import type { Config } from '../../base/config/config.js';
import { createLogger } from '../../base/config/logger.js';
import { SignInAdmission } from '../../doors/api/admission/sign-in-admission.js';
import { HttpModule } from '../../doors/api/http.module.js';
import { endpointsOf } from '../../doors/api/openapi/endpoint.js';
import { fastifyAdapter, prepareServer } from '../../doors/api/server.js';
import { announceReady, stopOnSignal } from '../../launch/child.js';
import { EventLog } from '../../log/event-log.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { startOperatorApi } from '../../operator/entrances/operator-server.js';
import { recordRestores } from '../../recovery/backup/restore/record-restores.js';
import { Batches } from '../../background/batches.js';
import { ExcessGrants } from '../../background/excess-grants.js';
import { Erasures } from '../../background/erasure/erasures.js';
import { Rewrites } from '../../background/erasure/rewrites.js';
import { Witness } from '../../log/witness/witness.js';
import { mailTasks } from './outgoing-mail.js';
import { openResources } from './resources.js';
import { Postgres } from '../../base/store/postgres.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { whenReachable } from '../../base/store/when-reachable.js';
import { closeAll } from '../../base/support/closable.js';
import type { Closable } from '../../base/support/closable.js';
import type { PeriodicTask } from '../../base/support/periodic-task.js';
import { observeCommands } from '../telemetry/commands.js';
import { openTelemetry } from '../../base/telemetry/open-telemetry.js';
import { observeRequests } from '../../server/observe-requests.js';
import { observeSignIns } from '../telemetry/sign-ins.js';
import type { Telemetry } from '../../base/telemetry/telemetry.js';

@Module({})
class ApiModule {}

const RETRY_MS = 1_000;

const opened: Closable[] = [];

async function serve(config: Config, logger: Logger, telemetry: Telemetry): Promise<void> {
  const resources = await openResources({ config, logger, telemetry, opened });
  const modules: DynamicModule = {
    module: ApiModule,
    imports: [CqrsModule.forRoot(), resources, AuthModule, HttpModule],
  };
  if (config.rateLimits === 'off')
    logger.warn('RATE_LIMITS is off: passwords can be guessed without limit, and no client is told to wait');
  const app = await NestFactory.create<NestFastifyApplication>(modules, fastifyAdapter(logger, config), {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  opened.push(app);
  observeRequests(app.getHttpAdapter().getInstance(), telemetry);
  const refuseOtherMethods = prepareServer(app, config, endpointsOf(HttpModule));
  shedLoad(app, config, telemetry);
  mountAuthorizationServer(app, () => app.get(SignInAdmission).unavailableMessage());
  await app.init();
  observeCommands(app.get(CommandBus), telemetry);
  observeSignIns(app.get(PasswordCheck), telemetry);
  await app.register(refuseOtherMethods);
  await app.listen(config.port, config.host);
  await recordRestores(app);
  opened.push(await startOperatorApi(app));
  const mail = await mailTasks(app, { lockUrl: storesOf(config).databaseUrl, logger });
  for (const task of [...backgroundTasks(app), ...mail]) {
    task.start();
    opened.push({ close: () => task.stop() });
  }
  announceReady();
  logger.info({ port: config.port }, 'serving');
}

function shedLoad(
  app: NestFastifyApplication,
  { baseUrl, trustedProxies, operatorContact }: Config,
  { metrics }: Telemetry,
): void {
  const proxies = new TrustedProxies(trustedProxies);
  shedOverload(app.getHttpServer(), {
    most: limits.inWork,
    addressOf: (request) => proxies.nearestAddress(request),
    refusalOf: prepareRefusals(
      strictTransport(baseUrl),
      busyPage(BUSY, operatorContact),
      app.get(Operations),
    ),
    metrics,
  });
}

/** Each by one process at a time, under locks in the witness's database. Without a witness no restriction is accepted. */
function backgroundTasks(app: NestFastifyApplication): readonly PeriodicTask[] {
  const { databaseUrl, vaultDatabaseUrl, witnessDatabaseUrl: lockUrl } = storesOf(config);
  if (lockUrl === undefined) return [];
  const shared = {
    lockUrl,
    logger,
    commands: app.get(CommandBus),
    pool: app.get(Postgres).pool,
    clock: app.get(Clock),
    ids: app.get(IdGenerator),
  };
  const [log, store, vault] = [app.get(EventLog), app.get(AuthorityStore), app.get(KeyVault)];
  const urls = { read: databaseUrl, vault: vaultDatabaseUrl };
  return [
    new Erasures({ ...shared, store, vault, witness: app.get(Witness) }),
    new Rewrites({ ...shared, urls, hour: config.erasureRewriteHour }),
    new Batches({ ...shared, log }),
    new PendingCaseEffects(shared),
    new ExcessGrants({ ...shared, log }),
  ];
}

const config = readConfig();
const logger = createLogger(config, 'api');
const opening = openTelemetry({ config, service: 'plaza-api', logger });
// Registered first: a stop may arrive before the process serves.
stopOnSignal(async () => {
  await closeAll(opened);
  const telemetry = await opening;
  await telemetry.close();
});
try {
  const telemetry = await opening;
  telemetry.metrics.reportDisk(config.dataDir);
  await whenReachable(() => serve(config, logger, telemetry), {
    logger,
    warning: 'a database is unreachable, so the API does not serve yet; retrying',
    retryMs: RETRY_MS,
    beforeRetry: () => closeAll(opened),
  });
} catch (error) {
  logger.fatal({ err: error }, 'cannot serve');
  process.exit(1);
}
