import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateRegistration1763890000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE authority.registration (
        network  text PRIMARY KEY CHECK (network = 'this'),
        is_open  boolean NOT NULL,
        revision bigint NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE authority.registration');
  }
}
