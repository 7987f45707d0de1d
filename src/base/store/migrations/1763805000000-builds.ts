import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Progress of the build of an incarnation. Existing incarnations count as built. */
export class Builds1763805000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE recovery.incarnation
        ADD COLUMN build_state text NOT NULL DEFAULT 'built' CHECK (build_state IN ('loading', 'finishing', 'built')),
        ADD COLUMN build_steps text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE recovery.incarnation DROP COLUMN build_state, DROP COLUMN build_steps');
  }
}

export const buildMigrations = [Builds1763805000000];
