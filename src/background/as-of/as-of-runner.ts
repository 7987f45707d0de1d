import type { Client } from 'pg';
import type { Logger } from 'pino';
import { messageOf } from '../../../projections/runner/faults.js';
import type { Group } from '../../../projections/runner/projection.js';
import { buildIncarnation } from '../../../projections/incarnations/building/build-incarnation.js';
import { buildSteps } from '../../../projections/incarnations/building/build-progress.js';
import type { BuildProgress } from '../../../projections/incarnations/building/build-progress.js';
import { createIncarnation } from '../../../projections/incarnations/incarnation.js';
import type { Incarnation } from '../../../projections/incarnations/incarnation.js';
import type { EventLog } from '../../log/event-log.js';
import { isOutage } from '../../log/witness/outage.js';
import { sleep } from '../../base/support/sleep.js';
import { ExclusiveTask, RETRY_MS } from '../exclusive-task.js';
import { AS_OF_KEPT_MS, asOfVersionsOf, recordAsOf, unfinishedAsOf } from './builds.js';
import type { AsOfBuild, AsOfChange } from './builds.js';
import { dropBuilds } from './drop-builds.js';
import { logUpTo } from './log-up-to.js';

export interface AsOfRunnerOptions {
  readonly group: Group;
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly ids: { incarnation(): string };
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly keptMs?: number;
}

/** Makes the builds that operators requested, one at a time, and drops them when their time is over. */
export class AsOfRunner extends ExclusiveTask {
  protected override readonly lock = 'plaza/as-of';
  protected override readonly subject = 'as-of builds';

  constructor(private readonly options: AsOfRunnerOptions) {
    super(RETRY_MS, { lockUrl: options.databaseUrl, logger: options.logger });
  }

  protected override work(client: Client, signal: AbortSignal): Promise<void> {
    const { group, logger, now, keptMs = AS_OF_KEPT_MS } = this.options;
    const versions = asOfVersionsOf(group);
    return this.repeat(async () => {
      await dropBuilds(client, { before: new Date(now() - keptMs), versions, logger });
      const build = await unfinishedAsOf(client, group);
      if (build) await this.make(build, client, signal);
      return build !== undefined;
    }, signal);
  }

  private async make(requested: AsOfBuild, client: Client, session: AbortSignal): Promise<void> {
    const { group, log, databaseUrl, logger, now } = this.options;
    const { position } = requested;
    logger.info(
      { position: String(position), resumed: requested.incarnation !== null },
      'making an as-of build',
    );
    const incarnation = await this.incarnationOf(requested, client);
    if (!incarnation) return;
    const build = { position, incarnation: incarnation.incarnation };
    const isGone = new AbortController();
    let recording = Promise.resolve();
    const record = (change: Omit<AsOfChange, 'now'>): Promise<void> => {
      recording = recording.then(async () => {
        if (!(await recordAsOf(client, build, { ...change, now: now() })))
          isGone.abort(new Error('the build was dropped'));
      });
      recording.catch(() => undefined);
      return recording;
    };
    const signal = AbortSignal.any([session, isGone.signal]);
    try {
      await record({ state: 'building' });
      await buildIncarnation({
        group,
        log: logUpTo(log, position),
        databaseUrl,
        incarnation,
        signal,
        onProgress: ({ phase, done, total, rate }: BuildProgress) =>
          void record({ state: 'building', progress: { step: buildSteps[phase], done, total, rate } }),
      });
      await record({ state: 'built' });
      logger.info({ position: String(position), ...incarnation }, 'made an as-of build');
    } catch (error) {
      if (!signal.aborted) await this.handleFault(build, client, error);
    }
  }

  private async handleFault(
    build: Pick<AsOfBuild, 'position' | 'incarnation'>,
    client: Client,
    error: unknown,
  ): Promise<void> {
    const { logger, now } = this.options;
    const isWaiting = isOutage(error);
    const message = isWaiting ? `waiting: ${messageOf(error)}` : messageOf(error);
    await recordAsOf(client, build, { state: isWaiting ? 'building' : 'failed', message, now: now() });
    if (isWaiting) await sleep(RETRY_MS);
    else logger.error({ err: error, position: String(build.position) }, 'an as-of build failed');
  }

  /** Undefined: the build was dropped meanwhile. */
  private async incarnationOf(build: AsOfBuild, client: Client): Promise<Incarnation | undefined> {
    const { group, ids, now } = this.options;
    if (build.incarnation !== null && build.schemaName !== null)
      return { incarnation: build.incarnation, schemaName: build.schemaName };
    const incarnation = await createIncarnation(client, {
      id: ids.incarnation(),
      versions: asOfVersionsOf(group),
      tables: group.projections.map(({ tables }) => tables),
      now: now(),
      schemaPrefix: 'as_of',
    });
    // An incarnation that no build has is dropped in the next round.
    const { rowCount } = await client.query(
      `UPDATE recovery.as_of SET incarnation = $2
      WHERE position = $1::numeric AND incarnation IS NULL AND state IN ('requested', 'building')`,
      [String(build.position), incarnation.incarnation],
    );
    return rowCount === 1 ? incarnation : undefined;
  }
}
