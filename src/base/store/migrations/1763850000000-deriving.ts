import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateDeriving1763850000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE authority.deriving (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        since     timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE authority.deriving');
  }
}
