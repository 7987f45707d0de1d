import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When somebody who keeps a group of read models up to date was last heard of: who is frozen keeps its lock. */
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
