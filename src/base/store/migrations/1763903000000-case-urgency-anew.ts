import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockTables } from '../lock-tables.js';
import { setUrgency, severity } from './1763902000000-case-urgency.js';

/** More people make it no more urgent. A case that an operator reopened may have its urgency of reports that a decision has seen. */
const isCrowded = `status IN ('reported', 'open') AND urgency % 10 = 5 AND EXISTS (
  SELECT FROM cases.report WHERE report.case_id = summary.case_id AND position > coalesce(decided_up_to, -1)
    AND report_id NOT IN (SELECT report_id FROM changed))`;

/** A crowded case counts no report again, since it may have a hundred thousand. */
const addReports = `
  UPDATE cases.summary SET urgency = 10 * found.severity + 5
    FROM (SELECT case_id, max(${severity}) AS severity FROM changed GROUP BY case_id) found
    WHERE summary.case_id = found.case_id AND ${isCrowded} AND urgency < 10 * found.severity;
  ${setUrgency(`decision_id IS NULL AND case_id IN (
    SELECT case_id FROM changed WHERE NOT EXISTS (
      SELECT FROM cases.summary WHERE summary.case_id = changed.case_id AND ${isCrowded}))`)}`;

/** Planned for each call: a plan of plpgsql would stay that of the first, which may have had thousands of reports. */
const triggered = (name: string, sql: string): string => `
  CREATE OR REPLACE FUNCTION cases.${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    EXECUTE $sql$ ${sql} $sql$;
    RETURN NULL;
  END $$`;

/**
 * Counts the reports of crowded cases that were reopened, and plans each count anew. A claimer who leaves a case says so in its last
 * sign, so that the next case is another one.
 */
export class CountUrgencyAnew1763903000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await lockTables(runner, 'cases.report', 'cases.summary', 'cases.activity');
    await runner.query(`
      ${triggered('add_urgency', addReports)};
      ${triggered('set_urgency', setUrgency('decision_id IS NULL AND case_id IN (SELECT case_id FROM changed)'))};
      ${setUrgency('decision_id IS NULL')};
      ALTER TABLE cases.activity ADD has_left boolean NOT NULL DEFAULT false`);
  }

  /** The functions stay: they are right for the migration before, too. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE cases.activity DROP has_left');
  }
}

export const caseUrgencyAnewMigrations = [CountUrgencyAnew1763903000000];
