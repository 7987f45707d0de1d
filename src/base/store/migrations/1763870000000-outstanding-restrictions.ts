import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Acknowledged restrictions that the read models do not show yet: every read honors them. */
export class CreateOutstandingRestrictions1763870000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE recovery.outstanding_restriction (
        event_id      uuid PRIMARY KEY,
        witness_epoch numeric NOT NULL,
        position      numeric NOT NULL,
        subject       text NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE recovery.outstanding_restriction');
  }
}

export const outstandingRestrictionMigrations = [CreateOutstandingRestrictions1763870000000];
