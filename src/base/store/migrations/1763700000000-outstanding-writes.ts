import type { MigrationInterface, QueryRunner } from 'typeorm';

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
