import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockTables } from '../lock-tables.js';

export const severity = `CASE reason WHEN 'illegal' THEN 4 WHEN 'harassment' THEN 3 WHEN 'spam' THEN 1 ELSE 2 END`;

/** Ten times the severity of the gravest reason, and one for each person who reported, up to five. */
const urgencies = (reports: string): string => `
  SELECT case_id, 10 * max(${severity})
    + least(count(DISTINCT coalesce(reporter_actor_id, report_id)), 5) AS urgency
  FROM cases.report WHERE ${reports} GROUP BY case_id`;

export const setUrgency = (reports: string): string => `
  UPDATE cases.summary SET urgency = found.urgency FROM (${urgencies(reports)}) found
  WHERE summary.case_id = found.case_id AND summary.urgency <> found.urgency`;

/** More people make it no more urgent. */
const isCrowded = `status IN ('reported', 'open') AND urgency % 10 = 5`;

/** A crowded case counts no report again, since it may have a hundred thousand. */
const addReports = `
  UPDATE cases.summary SET urgency = 10 * found.severity + 5
    FROM (SELECT case_id, max(${severity}) AS severity FROM changed GROUP BY case_id) found
    WHERE summary.case_id = found.case_id AND ${isCrowded} AND urgency < 10 * found.severity;
  ${setUrgency(`decision_id IS NULL AND case_id IN (
    SELECT case_id FROM changed WHERE NOT EXISTS (
      SELECT FROM cases.summary crowded WHERE crowded.case_id = changed.case_id AND ${isCrowded}))`)}`;

/**
 * A trigger sets the urgency, so that workers of the release before keep it, too. It is that of the reports that no decision
 * has seen; a case without such keeps the one that it had.
 */
export class OrderCasesByUrgency1763902000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await lockTables(runner, 'cases.report', 'cases.summary');
    await runner.query(`
      ALTER TABLE cases.summary ADD urgency integer NOT NULL DEFAULT 0;
      ${setUrgency('true')};
      ${setUrgency('decision_id IS NULL')};
      CREATE FUNCTION cases.add_urgency() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        ${addReports};
        RETURN NULL;
      END $$;
      CREATE FUNCTION cases.set_urgency() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        ${setUrgency('decision_id IS NULL AND case_id IN (SELECT case_id FROM changed)')};
        RETURN NULL;
      END $$;
      CREATE TRIGGER urgency_of_added AFTER INSERT ON cases.report REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION cases.add_urgency();
      CREATE TRIGGER urgency_of_changed AFTER UPDATE ON cases.report REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION cases.set_urgency();
      CREATE INDEX summary_urgent ON cases.summary ((-urgency), opened_position) WHERE status = 'open';
      CREATE INDEX summary_by_urgency ON cases.summary ((-urgency), opened_position)
        WHERE opened_position IS NOT NULL;
      CREATE INDEX summary_open_of_target ON cases.summary (target_actor_id, (-urgency), opened_position)
        WHERE status = 'open';
      CREATE INDEX summary_old ON cases.summary ((urgency / 10), opened_at) WHERE status = 'open';

      -- The last sign of a claimer. No event has it, so a claim without a row counts from its beginning.
      CREATE TABLE cases.activity (
        case_id     text COLLATE "C" PRIMARY KEY,
        operator_id text NOT NULL,
        active_at   bigint NOT NULL
      );
      CREATE INDEX activity_by_age ON cases.activity (active_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE cases.activity;
      DROP TRIGGER urgency_of_added ON cases.report;
      DROP TRIGGER urgency_of_changed ON cases.report;
      DROP FUNCTION cases.add_urgency;
      DROP FUNCTION cases.set_urgency;
      ALTER TABLE cases.summary DROP urgency`);
  }
}

export const caseUrgencyMigrations = [OrderCasesByUrgency1763902000000];
