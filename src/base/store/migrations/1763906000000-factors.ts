import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockTables } from '../lock-tables.js';

/** Passkeys and recovery codes of people, in the row of the password: what deletes or restores that one takes them along. */
export class AddFactors1763906000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await lockTables(runner, 'authority.credential');
    await runner.query(`
      ALTER TABLE authority.credential ADD COLUMN factors jsonb NOT NULL DEFAULT '{"passkeys": []}';
      ALTER TABLE authority.credential ALTER factors SET STATISTICS 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE authority.credential DROP COLUMN factors');
  }
}
