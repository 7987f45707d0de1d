import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Vault1763640000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE person_key (
        key_id uuid PRIMARY KEY,
        person_id text NOT NULL UNIQUE,
        key bytea,
        created_at timestamptz NOT NULL DEFAULT now(),
        destroyed_at timestamptz,
        CONSTRAINT destroyed_means_gone CHECK ((key IS NULL) = (destroyed_at IS NOT NULL))
      )`);
    await runner.query(`
      CREATE TABLE network_secret (
        name text PRIMARY KEY,
        value bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE network_secret');
    await runner.query('DROP TABLE person_key');
  }
}
