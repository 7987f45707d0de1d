import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockTables } from '../lock-tables.js';

/** Links that operators make: they work later, and are bound to no address. `link_id` is that of the log. */
export class AddOperatorLinks1763908000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await lockTables(runner, 'authority.recovery_link');
    await runner.query(`
      ALTER TABLE authority.recovery_link ALTER address_proof DROP NOT NULL,
        ADD COLUMN link_id text,
        ADD COLUMN works_from bigint NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM authority.recovery_link WHERE link_id IS NOT NULL;
      ALTER TABLE authority.recovery_link DROP COLUMN link_id, DROP COLUMN works_from,
        ALTER address_proof SET NOT NULL`);
  }
}
