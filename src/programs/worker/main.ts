/** The worker process (`ROLE=projector`): keeps every group of projections up to date, and runs jobs. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { AsOfRunner } from '../../background/as-of/as-of-runner.js';
import { ConfigError, readConfig, storesOf } from '../../base/config/config.js';
import type { Config, StoreUrls } from '../../base/config/config.js';
import { createLogger } from '../../base/config/logger.js';
import { openCases } from '../../background/cases/open-cases.js';
import { BoundedClock } from '../../base/support/bounded-clock.js';
import { systemIds } from '../../base/support/id-generator.js';
import { LogCheck } from '../../server/health/log-check.js';
import { announceReady, stopOnSignal } from '../../launch/child.js';
import type { EventLog } from '../../log/event-log.js';
import { openLog } from '../../log/open-log.js';
import type { LogOptions } from '../../log/open-log.js';
import { exitOnSharedLog } from '../../log/eventstoredb/usable.js';
import { quarantiningTarget } from '../../../projections/incarnations/fixed-target.js';
import { authorityTarget } from '../../../projections/incarnations/authority-rebuild.js';
import { PUBLICATION_CHANNEL } from '../../../projections/incarnations/incarnation.js';
import { JobRunner } from '../../background/jobs/job-runner.js';
import { servingLock, servingTarget } from '../../../projections/incarnations/serving-target.js';
import { waitForPublicationChange } from '../../../projections/incarnations/publication-change.js';
import { openWitness } from '../../log/witness/open-witness.js';
import type { Witness } from '../../log/witness/witness.js';
import { whenReachable } from '../../base/store/when-reachable.js';
import { openReadStore } from '../../base/store/database.js';
import { observeAppends } from '../telemetry/appends.js';
import { observeProofs } from '../telemetry/proofs.js';
import { openTelemetry } from '../../base/telemetry/open-telemetry.js';
import { observePool } from '../telemetry/statements.js';
import type { Telemetry } from '../../base/telemetry/telemetry.js';
import { observeWitness } from '../telemetry/witness-steps.js';
import { auditGroup } from '../../../projections/audit/audit.projection.js';
import { authorityGroup } from '../../../projections/authority/authority.projection.js';
import { casesGroup } from '../../../projections/cases/cases.projection.js';
import { servingWith } from '../../../projections/groups.js';
import { observedGroup } from './probes/observed-group.js';
import { serveProbes } from './probes/worker-probes.js';
import { GroupRunner } from '../../../projections/runner/group-runner.js';
import type { GroupRunnerOptions } from '../../../projections/runner/group-runner.js';
import type { GroupState } from '../../../projections/runner/group-state.js';
import type { Group } from '../../../projections/runner/projection.js';

const fixedGroups = [authorityGroup, auditGroup, casesGroup];
const APPLICATION_NAME = 'plaza-projector';
const RETRY_MS = 500;

async function work(config: Config, logger: Logger, signal: AbortSignal): Promise<void> {
  const stores = storesOf(config);
  const serving = servingWith(config);
  const { witnessDatabaseUrl: url, databaseUrl } = stores;
  const telemetry = await openTelemetry({ config, service: 'plaza-worker', logger });
  const witness = openWitness({ url, applicationName: APPLICATION_NAME });
  if (url !== undefined) observeWitness(witness, telemetry);
  const clock = new BoundedClock('worker');
  const probeState: ProbeState = { states: new Map(), log: undefined };
  const probes = await serveProbes({
    config,
    databaseUrl,
    clock,
    logger,
    metrics: telemetry.metrics,
    reachWitness: async () => url === undefined || witness.find([]),
    log: () => probeState.log,
    groups: Object.fromEntries(
      [serving, ...fixedGroups].map(({ name }) => [
        name,
        () => probeState.states.get(name)?.() ?? { activity: 'starting' },
      ]),
    ),
  });
  const refuseShared = exitOnSharedLog(config, logger);
  const opened = await whenReachable(() => open({ ...stores, logger, refuseShared }), {
    logger,
    warning: 'a database is unreachable, so this worker does not start yet; retrying',
    retryMs: RETRY_MS,
    signal,
  });
  if (!opened) return probes.close();
  const { log } = opened;
  observeAppends(log, telemetry);
  observeProofs(log, telemetry);
  observePool(opened.vaultPool, 'vault', telemetry);
  probeState.log = new LogCheck(log, monotonic, clock);
  const configuredWitness = url === undefined ? undefined : witness;
  const runs = runners({
    log,
    witness: configuredWitness,
    databaseUrl,
    clock,
    serving,
    logger,
    telemetry,
  }).map(({ group, runner }) => {
    probeState.states.set(group, () => runner.state);
    return keepRunning(runner, () => waitForPublicationChange(databaseUrl, group, signal), signal);
  });
  const work = {
    group: serving,
    fixedGroups,
    log,
    databaseUrl,
    witness,
    logger,
    ids,
    now: Date.now,
    monotonic,
  };
  announceReady();
  await Promise.all([...runs, new JobRunner(work).run(signal), new AsOfRunner(work).run(signal)]);
  await probes.close();
  await witness.close();
  await opened.close();
  await telemetry.close();
}

/** State that the probes report. The worker fills it in as it starts, because the probes are served before. */
interface ProbeState {
  readonly states: Map<string, () => GroupState>;
  log: LogCheck | undefined;
}

/** Restarts a stopped group after the publication or the group's checkpoint has changed, as after a recovery. */
async function keepRunning(
  runner: GroupRunner,
  changed: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await runner.run(signal);
    if (!signal.aborted) await changed();
  }
}

async function open(options: StoreUrls & Pick<LogOptions, 'logger' | 'refuseShared'>) {
  const database = await openReadStore({
    url: options.databaseUrl,
    applicationName: APPLICATION_NAME,
    maxConnections: 2,
  });
  // Each group has a connection of its own; this one only ran the migrations.
  await database.close();
  return openLog({ ...options, applicationName: APPLICATION_NAME });
}

const monotonic = () => performance.now();

const ids = {
  uuid: randomUUID,
  networkId: () => randomBytes(16).toString('hex'),
  incarnation: () => randomBytes(10).toString('hex'),
};

interface RunnerOptions {
  readonly log: EventLog;
  readonly witness: Witness | undefined;
  readonly databaseUrl: string;
  readonly clock: BoundedClock;
  readonly serving: Group;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
}

function runners({
  log,
  witness,
  databaseUrl,
  clock,
  serving,
  logger,
  telemetry,
}: RunnerOptions): readonly { readonly group: string; readonly runner: GroupRunner }[] {
  const runnerOf = (runner: GroupRunnerOptions) => new GroupRunner(observedGroup(runner, telemetry));
  const common = { databaseUrl, log, logger, news: PUBLICATION_CHANNEL };
  const options = { group: serving, log, databaseUrl, witness, logger, ids, now: Date.now, monotonic };
  return [
    {
      group: serving.name,
      runner: runnerOf({
        ...common,
        group: serving,
        lock: servingLock(serving),
        prepare: (client, signal) => servingTarget(options, client, signal),
      }),
    },
    {
      group: authorityGroup.name,
      runner: runnerOf({
        ...common,
        group: authorityGroup,
        prepare: (client) => authorityTarget(authorityGroup, log, client),
      }),
    },
    {
      group: auditGroup.name,
      runner: runnerOf({
        ...common,
        group: auditGroup,
        prepare: (client) => quarantiningTarget(log, client, auditGroup, 'audit'),
      }),
    },
    {
      group: casesGroup.name,
      runner: runnerOf({
        ...common,
        group: casesGroup,
        prepare: async (client) => ({
          ...(await quarantiningTarget(log, client, casesGroup, 'cases')),
          onCaughtUp: () => openCases({ client, log, ids: systemIds, clock }),
        }),
      }),
    },
  ];
}

function main(): void {
  const config = readConfig();
  const logger = createLogger(config, 'worker');
  const stopping = new AbortController();
  const working = work(config, logger, stopping.signal);
  stopOnSignal(async () => {
    stopping.abort();
    await working;
  });
  working.catch((error: unknown) => {
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else logger.fatal({ err: error }, 'worker failed; exiting');
    process.exit(1);
  });
}

try {
  main();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
