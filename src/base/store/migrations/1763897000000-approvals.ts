import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateApprovals1763897000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // batch_items null: off. content: JSON of act and preview, empty if its key is destroyed.
    await runner.query(`
      CREATE TABLE authority.four_eyes (
        network     text PRIMARY KEY CHECK (network = 'this'),
        batch_items integer,
        revision    bigint NOT NULL
      );

      CREATE TABLE authority.approval (
        approval_id  text PRIMARY KEY,
        act          text NOT NULL,
        content      text NOT NULL,
        digest       text NOT NULL,
        requested_by text NOT NULL,
        requested_at bigint NOT NULL,
        expires_at   bigint NOT NULL,
        reason       text,
        state        text NOT NULL,
        revision     bigint NOT NULL,
        decided_by   text,
        decided_at   bigint,
        decision     text
      );
      CREATE INDEX approval_by_time ON authority.approval (requested_at, approval_id);
      CREATE INDEX approval_waiting ON authority.approval (expires_at) WHERE state = 'waiting'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE authority.approval, authority.four_eyes');
  }
}
