import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateHeartbeats1763820000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE recovery.heartbeat (
        group_name text PRIMARY KEY,
        beat_at    timestamptz NOT NULL
      ) WITH (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE recovery.heartbeat');
  }
}

export const heartbeatMigrations = [CreateHeartbeats1763820000000];
