import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Used points, in the format of rate-limiter-flexible: `expire` is in Unix milliseconds. Unlogged: a crash loses the
 * counts of some minutes, and no claim waits for a disk.
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
