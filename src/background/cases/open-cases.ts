import type { ClientBase } from 'pg';
import { evolveCase, noCase } from '../../domain/case/case.js';
import type { Case, CaseEvent } from '../../domain/case/case.js';
import { openCase } from '../../domain/case/handling.js';
import type { EventLog } from '../../log/event-log.js';
import { streams } from '../../log/streams.js';
import { isServingSql } from '../../../projections/incarnations/recovery-state.js';
import { databaseNowSql } from '../../base/store/database-clock.js';
import { handleCommand } from '../../commands/support/handle-command.js';
import type { BoundedClock } from '../../base/support/bounded-clock.js';
import type { IdGenerator } from '../../base/support/id-generator.js';

interface Row {
  readonly case_id: string;
  readonly post_id: string | null;
  readonly target_actor_id: string;
  readonly report_id: string;
  readonly position: string;
  readonly database_now: string;
}

/**
 * The first unseen report of each case that must be opened. Nothing is written in a quarantine, as the log may lack
 * events.
 */
const casesToOpen = `
  SELECT case_id, post_id, target_actor_id, first.report_id, first.position::text AS position,
    ${databaseNowSql} AS database_now
  FROM cases.summary CROSS JOIN LATERAL (
    SELECT report_id, position FROM cases.report
    WHERE report.case_id = summary.case_id AND report.position > coalesce(decided_up_to, -1)
    ORDER BY position LIMIT 1) first
  WHERE (status = 'reported' OR (status = 'decided' AND newest_report > decided_up_to))
    AND ${isServingSql}
  LIMIT 100`;

export interface OpenCasesOptions {
  readonly client: ClientBase;
  readonly log: EventLog;
  readonly ids: IdGenerator;
  readonly clock: BoundedClock;
}

/**
 * Opens a case for each reported subject, and reopens decided ones that were reported again. The rows may lag behind the
 * log: the stream of the case decides, so a case is opened once.
 * @throws errors of log and Postgres
 */
export async function openCases({ client, log, ids, clock }: OpenCasesOptions): Promise<void> {
  const { rows } = await client.query<Row>(casesToOpen);
  if (rows[0]) clock.observe(Number(rows[0].database_now));
  for (const row of rows) {
    const subject = {
      caseId: row.case_id,
      postId: row.post_id ?? undefined,
      targetActorId: row.target_actor_id,
    };
    await handleCommand<Case, CaseEvent>(log, ids, {
      stream: streams.case(row.case_id),
      initial: noCase,
      evolve: evolveCase,
      decide: (state) =>
        openCase(state, {
          subject,
          reportId: row.report_id,
          position: Number(row.position),
          at: clock.now(),
        }),
      metadata: { requestId: ids.uuid() },
    });
  }
}
