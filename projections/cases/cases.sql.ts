import type { Statement } from '../runner/projection.js';

/** All statements have one table and key, so that those of one case keep their order. */
const caseKey = { table: 'summary', key: (row: { readonly case_id: string }) => row.case_id };

interface Reported {
  readonly report_id: string;
  readonly case_id: string;
  readonly post_id: string | undefined;
  readonly target_actor_id: string;
  readonly reporter_actor_id: string;
  readonly reason: string;
  readonly at: number;
  readonly position: string;
}

/** Counts a report once, however often its event is applied. */
export const addReport: Statement<Reported> = {
  ...caseKey,
  name: 'case.report',
  manyOfOneKey: true,
  sql: `
    WITH row AS (
      SELECT * FROM json_to_recordset($1) AS row(report_id text, case_id text, post_id text, target_actor_id text,
        reporter_actor_id text, reason text, at bigint, position numeric)
    ), added AS (
      INSERT INTO cases.report (report_id, case_id, position, reporter_actor_id, reason, at)
      SELECT report_id, case_id, position, reporter_actor_id, reason, at FROM row
      ON CONFLICT (report_id) DO NOTHING RETURNING report_id
    )
    INSERT INTO cases.summary (case_id, post_id, target_actor_id, status, reports, reasons, newest_report)
    SELECT case_id, min(post_id), min(target_actor_id), 'reported', count(*), array_agg(DISTINCT reason), max(position)
    FROM row JOIN added USING (report_id) GROUP BY case_id
    ON CONFLICT (case_id) DO UPDATE SET reports = summary.reports + EXCLUDED.reports,
      reasons = ARRAY(SELECT DISTINCT unnest(summary.reasons || EXCLUDED.reasons) ORDER BY 1),
      newest_report = greatest(summary.newest_report, EXCLUDED.newest_report)`,
};

/** `revision`: of the case's stream. An event that was applied before changes nothing. */
interface Change {
  readonly case_id: string;
  readonly revision: string;
}

const change = <Row extends Change>(name: string, columns: string, assignments: string): Statement<Row> => ({
  ...caseKey,
  name: `case.${name}`,
  sql: `
    UPDATE cases.summary SET revision = row.revision, ${assignments}
    FROM json_to_recordset($1) AS row(case_id text, revision bigint${columns})
    WHERE summary.case_id = row.case_id AND summary.revision < row.revision`,
});

export const openCase = change<Change & { readonly position: string; readonly at: number }>(
  'open',
  ', position numeric, at bigint',
  `status = 'open', opened_position = row.position, opened_at = row.at`,
);

export const setClaim = change<Change & { readonly claimed_by: string | null }>(
  'claim',
  ', claimed_by text',
  'claimed_by = row.claimed_by',
);

interface Decided extends Change {
  readonly decision_id: string;
  readonly decided_by: string;
  readonly decided_at: number;
  readonly decided_up_to: number;
  readonly outcome: string;
  readonly has_effects: boolean;
}

export const decideCase: Statement<Decided> = {
  ...caseKey,
  name: 'case.decide',
  sql: `
    WITH changed AS (
      UPDATE cases.summary SET revision = row.revision, status = 'decided', claimed_by = NULL,
        decision_id = row.decision_id, decided_by = row.decided_by, decided_at = row.decided_at,
        decided_up_to = row.decided_up_to, outcome = row.outcome,
        pending_effects = CASE WHEN row.has_effects THEN pending_effects || row.decision_id ELSE pending_effects END
      FROM json_to_recordset($1) AS row(case_id text, revision bigint, decision_id text, decided_by text,
        decided_at bigint, decided_up_to numeric, outcome text, has_effects boolean)
      WHERE summary.case_id = row.case_id AND summary.revision < row.revision
      RETURNING summary.case_id, row.decision_id, row.decided_up_to, row.outcome
    )
    UPDATE cases.report SET decision_id = changed.decision_id, outcome = changed.outcome
    FROM changed
    WHERE report.case_id = changed.case_id AND report.decision_id IS NULL
      AND report.position <= changed.decided_up_to`,
};

interface OfDecision extends Change {
  readonly decision_id: string;
}

export const appealCase = change<OfDecision>(
  'appeal',
  ', decision_id text',
  'waiting_appeals = waiting_appeals || row.decision_id',
);

export const upholdCase = change<OfDecision>(
  'uphold',
  ', decision_id text',
  'claimed_by = NULL, waiting_appeals = array_remove(waiting_appeals, row.decision_id)',
);

export const overturnCase: Statement<OfDecision> = {
  ...caseKey,
  name: 'case.overturn',
  sql: `
    WITH changed AS (
      UPDATE cases.summary SET revision = row.revision, claimed_by = NULL,
        waiting_appeals = array_remove(waiting_appeals, row.decision_id),
        pending_effects = array_remove(pending_effects, row.decision_id) || row.decision_id
      FROM json_to_recordset($1) AS row(case_id text, revision bigint, decision_id text)
      WHERE summary.case_id = row.case_id AND summary.revision < row.revision
      RETURNING row.decision_id
    )
    UPDATE cases.report SET outcome = 'overturned' FROM changed WHERE report.decision_id = changed.decision_id`,
};

export const finishEffects = change<OfDecision>(
  'finish-effects',
  ', decision_id text',
  'pending_effects = array_remove(pending_effects, row.decision_id)',
);

interface ErasedPerson {
  readonly actor_id: string;
}

/** Cases about an erased person end: nothing is left to decide. Their own reports stay, without their id. */
export const erasePerson: Statement<ErasedPerson> = {
  name: 'case.erase',
  table: 'summary',
  // One for all: each erasure then runs after every earlier write, also after one that another erasure came before.
  key: () => 'persons',
  sql: `
    WITH row AS (SELECT * FROM json_to_recordset($1) AS row(actor_id text)), ended AS (
      DELETE FROM cases.summary USING row WHERE summary.target_actor_id = row.actor_id RETURNING case_id
    ), gone AS (
      DELETE FROM cases.report USING ended WHERE report.case_id = ended.case_id
    )
    UPDATE cases.report SET reporter_actor_id = NULL FROM row
    WHERE report.reporter_actor_id = row.actor_id AND report.case_id NOT IN (SELECT case_id FROM ended)`,
};
