import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockTables } from '../lock-tables.js';

/** Statistics would keep samples of keys. Naming the type again drops those that exist. */
export class DropVaultStatistics1763901000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await lockTables(runner, 'person_key');
    await runner.query('ALTER TABLE person_key ALTER key SET STATISTICS 0, ALTER key TYPE bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE person_key ALTER key SET STATISTICS -1');
  }
}
