import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddAccountProfiles1763770000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE authority.account
        ADD COLUMN website text NOT NULL DEFAULT '',
        ADD COLUMN shows_handle boolean NOT NULL DEFAULT true,
        ADD COLUMN profile_changed_at bigint,
        ADD COLUMN profile_revision integer NOT NULL DEFAULT 1,
        ADD COLUMN handle_revision integer NOT NULL DEFAULT 1`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE authority.account DROP COLUMN handle_revision, DROP COLUMN profile_revision,
        DROP COLUMN profile_changed_at, DROP COLUMN shows_handle, DROP COLUMN website`);
  }
}
