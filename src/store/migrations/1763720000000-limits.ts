import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What has been used up of limits, in the shape that rate-limiter-flexible writes: `expire` is in Unix milliseconds.
 * Unlogged: a database that crashes forgets the counts of some minutes, and no disk waits for them.
 */
export class CreateLimits1763720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA limits;
      CREATE UNLOGGED TABLE limits.used (
        key    text PRIMARY KEY,
        points integer NOT NULL,
        expire bigint
      );
      CREATE INDEX used_expiry ON limits.used (expire);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA limits CASCADE');
  }
}

export const limitMigrations = [CreateLimits1763720000000];
