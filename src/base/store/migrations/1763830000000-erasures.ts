import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Planned and unfinished erasures. Personal columns have no statistics, which would keep samples of them. */
export class AddErasures1763830000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE authority.account
        ADD COLUMN erases_at bigint,
        ADD COLUMN erasure_revision bigint NOT NULL DEFAULT 0,
        ADD COLUMN erasure_finished_at bigint,
        ALTER handle SET STATISTICS 0,
        ALTER display_name SET STATISTICS 0,
        ALTER email SET STATISTICS 0,
        ALTER website SET STATISTICS 0;
      CREATE INDEX account_erasing ON authority.account (erases_at) WHERE erases_at IS NOT NULL AND state <> 'erased';
      CREATE INDEX account_erased ON authority.account (actor_id) WHERE state = 'erased';
      CREATE INDEX account_unfinished ON authority.account (actor_id)
        WHERE state = 'erased' AND erasure_finished_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX authority.account_unfinished, authority.account_erased, authority.account_erasing;
      ALTER TABLE authority.account DROP COLUMN erasure_finished_at, DROP COLUMN erasure_revision,
        DROP COLUMN erases_at, ALTER handle SET STATISTICS -1, ALTER display_name SET STATISTICS -1,
        ALTER email SET STATISTICS -1, ALTER website SET STATISTICS -1`);
  }
}
