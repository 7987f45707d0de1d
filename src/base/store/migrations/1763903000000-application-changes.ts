import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockTables } from '../lock-tables.js';

export class AddApplicationChanges1763903000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await lockTables(runner, 'authority.application');
    await runner.query(`
      ALTER TABLE authority.application
        ADD COLUMN former_names jsonb NOT NULL DEFAULT '[]',
        ADD COLUMN change_revision bigint NOT NULL DEFAULT -1,
        ADD COLUMN is_ending_grants boolean NOT NULL DEFAULT false,
        ADD COLUMN redirects_changed_at bigint,
        ADD COLUMN secret_rotated_at bigint,
        ADD COLUMN identity_changed_at bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE authority.application DROP COLUMN former_names, DROP COLUMN change_revision, DROP COLUMN is_ending_grants,
        DROP COLUMN redirects_changed_at, DROP COLUMN secret_rotated_at, DROP COLUMN identity_changed_at`);
  }
}
