import type { MigrationInterface, QueryRunner } from 'typeorm';

/** No event of an earlier release has a cause, so existing rows need none. */
export class AddAuditCause1763891000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE audit.event ADD COLUMN cause text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE audit.event DROP COLUMN cause');
  }
}

export const auditCauseMigrations = [AddAuditCause1763891000001];
