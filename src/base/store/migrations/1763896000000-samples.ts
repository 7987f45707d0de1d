import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSamples1763896000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Unlogged: a crash of Postgres may lose half an hour of plots, and no write waits for them.
    await runner.query(`
      CREATE SCHEMA telemetry;

      CREATE UNLOGGED TABLE telemetry.sample (
        process_id text NOT NULL,
        at         bigint NOT NULL,
        sample     json NOT NULL,
        PRIMARY KEY (process_id, at)
      );
      CREATE INDEX sample_at ON telemetry.sample (at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA telemetry CASCADE');
  }
}

export const sampleMigrations = [CreateSamples1763896000000];
