import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Writes that were acknowledged before the read models had them: the writer's next read waits, on any process. */
export class CreateOutstandingWrites1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE recovery.outstanding_write (
        actor_id text PRIMARY KEY,
        position numeric NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE recovery.outstanding_write');
  }
}

export const outstandingWriteMigrations = [CreateOutstandingWrites1763700000000];
