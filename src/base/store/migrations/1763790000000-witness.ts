import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Witness1763790000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ledger (
        line bigint PRIMARY KEY,
        text text NOT NULL,
        hash bytea NOT NULL CHECK (length(hash) = 32)
      );
      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'the ledger is only ever added to'; END $$;
      CREATE TRIGGER only_added_to BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

      CREATE TABLE head (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        line bigint NOT NULL,
        hash bytea NOT NULL,
        epoch bigint NOT NULL
      );
      INSERT INTO head (line, hash, epoch) VALUES (0, decode(repeat('00', 32), 'hex'), 0);

      CREATE TABLE restriction (
        epoch       bigint PRIMARY KEY,
        id          uuid NOT NULL UNIQUE,
        state       text NOT NULL CHECK (state IN ('prepared', 'accepted', 'finalized', 'withdrawn')),
        hash        bytea NOT NULL CHECK (length(hash) = 32),
        position    numeric,
        prepared_at bigint NOT NULL,
        content     json NOT NULL,
        CONSTRAINT accepted_means_where CHECK (position IS NOT NULL OR state IN ('prepared', 'withdrawn'))
      );
      CREATE INDEX restriction_unsettled ON restriction (epoch) WHERE state IN ('prepared', 'accepted');
      CREATE INDEX restriction_withdrawn ON restriction (epoch) WHERE state = 'withdrawn';
      CREATE INDEX restriction_erasure ON restriction (epoch) WHERE content #>> '{event,type}' = 'account.erased';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE restriction, head, ledger; DROP FUNCTION refuse_change()');
  }
}
