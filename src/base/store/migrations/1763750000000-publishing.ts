import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePublishing1763750000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE authority.publishing (
        network  text PRIMARY KEY CHECK (network = 'this'),
        paused   boolean NOT NULL,
        revision bigint NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE authority.publishing');
  }
}
