import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateBatches1763891000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // done: items of the current state that are through; kept by the process that does them.
    await runner.query(`
      CREATE TABLE authority.batch (
        batch_id     text PRIMARY KEY,
        kind         text NOT NULL,
        app_id       text,
        items        integer NOT NULL,
        operator_id  text,
        reason       text,
        requested_at bigint NOT NULL,
        state        text NOT NULL,
        revision     bigint NOT NULL,
        done         integer NOT NULL DEFAULT 0
      );
      CREATE INDEX batch_unfinished ON authority.batch (requested_at) WHERE state IN ('applying', 'undoing');
      CREATE INDEX batch_by_time ON authority.batch (requested_at, batch_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE authority.batch');
  }
}
