import type { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { isServingSql } from '../../projections/incarnations/recovery-state.js';
import { CheckpointStore } from '../../projections/runner/checkpoint-store.js';
import { isExcess } from '../commands/grant/excess-grants.js';
import { RevokeGrant } from '../commands/grant/grants.js';
import type { Clock } from '../base/support/clock.js';
import type { IdGenerator } from '../base/support/id-generator.js';
import type { ApplicationChanged } from '../domain/application/events.js';
import { Refusal } from '../domain/refusal.js';
import type { EventLog } from '../log/event-log.js';
import type { EventMetadata, Recorded } from '../log/recorded.js';
import { streams } from '../log/streams.js';
import { ExclusiveTask } from './exclusive-task.js';
import type { ExclusiveTaskOptions } from './exclusive-task.js';

const INTERVAL_MS = 1_000;
/** Revocations at a time. Between two such groups the work may be stopped. */
const AT_ONCE = 8;

/** Nothing is written in a quarantine, as the log may lack events. */
const narrowedApplications = {
  name: 'narrowed-applications',
  text: `
    SELECT app_id FROM authority.application
    WHERE is_ending_grants AND ${isServingSql}`,
};

/** $3, $4: time and id of the last grant of the group before. */
const nextExcessGrants = `
  SELECT grant_id, issued_at FROM authority.app_grant JOIN authority.application USING (app_id)
  WHERE ${isExcess('application.scopes')} AND (issued_at, grant_id) < ($3, $4)
  ORDER BY issued_at DESC, grant_id DESC LIMIT ${AT_ONCE}`;

/** A later narrowing has another revision, and a round of its own. */
const finishNarrowing = `
  UPDATE authority.application SET is_ending_grants = false WHERE app_id = $1 AND change_revision = $2`;

interface Row {
  readonly grant_id: string;
  readonly issued_at: string;
}

export interface ExcessGrantsOptions extends ExclusiveTaskOptions {
  readonly commands: CommandBus;
  readonly pool: Pool;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/**
 * Ends the grants that have more scopes than their application may request since a change of it. Each grant is decided by its
 * own stream, so a repetition after a crash changes nothing.
 */
export class ExcessGrants extends ExclusiveTask {
  protected override readonly lock = 'excess-grants';
  protected override readonly subject = 'ending of grants with removed scopes';

  constructor(private readonly options: ExcessGrantsOptions) {
    super(INTERVAL_MS, options);
  }

  protected override async hasWork(): Promise<boolean> {
    return (await this.narrowed()).length > 0;
  }

  protected override async work(): Promise<void> {
    for (const appId of await this.narrowed()) await this.finish(appId);
  }

  private async narrowed(): Promise<readonly string[]> {
    const { rows } = await this.options.pool.query<{ app_id: string }>(narrowedApplications);
    return rows.map(({ app_id: appId }) => appId);
  }

  private async finish(appId: string): Promise<void> {
    const { pool, log, logger } = this.options;
    const stream = streams.applicationChanges(appId);
    const changes = (await log.read(stream)) as readonly Recorded<ApplicationChanged>[];
    const narrowing = changes.findLast(({ event }) => event.data.removedScopes.length > 0);
    const newest = changes.at(-1);
    if (!narrowing || !newest) throw new Error(`the log has no change that removed scopes of ${appId}`);
    // Rows of consents that were given before may still be missing, if a process died or the authority store is rebuilt.
    const applied = await CheckpointStore.ofGroup('authority').position(pool);
    const hasAllRows = applied !== undefined && applied >= newest.position;
    const ended = await this.endAll(appId, { ...this.metadataOf(narrowing.metadata), cause: stream });
    if (ended > 0) logger.info({ appId, ended }, 'ended grants that have removed scopes');
    // Grants that came in between are found by the next round.
    if (ended === 0 && hasAllRows && !this.isStopping)
      await pool.query(finishNarrowing, [appId, String(newest.revision)]);
  }

  /** Names the operator who changed the application, and this process' own request. */
  private metadataOf({ operatorId, operator, reason, clientRequestId }: EventMetadata): EventMetadata {
    return { requestId: this.options.ids.uuid(), clientRequestId, operatorId, operator, reason };
  }

  /** Returns how many it ended. */
  private async endAll(appId: string, metadata: EventMetadata): Promise<number> {
    const { pool, clock } = this.options;
    let ended = 0;
    let last: Row | undefined;
    while (!this.isStopping) {
      const { issued_at: at = String(Number.MAX_SAFE_INTEGER), grant_id: id = '' } = last ?? {};
      const { rows } = await pool.query<Row>(nextExcessGrants, [appId, clock.now(), at, id]);
      const done = await Promise.all(rows.map((row) => this.end(row.grant_id, { ...metadata, appId })));
      ended += done.filter(Boolean).length;
      last = rows.at(-1);
      if (rows.length < AT_ONCE) break;
    }
    return ended;
  }

  /** False: it has ended already, or the log does not know it. */
  private async end(grantId: string, metadata: EventMetadata): Promise<boolean> {
    const revocation = new RevokeGrant(grantId, { cause: 'operator' }, { ...metadata, grantId });
    try {
      return (await this.options.commands.execute(revocation)).changed;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }
}
