import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateCases1763890000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // `status` is `reported` until the case is opened, and again when reports came that the decision did not see.
    await runner.query(`
      CREATE SCHEMA cases;

      CREATE TABLE cases.summary (
        case_id          text COLLATE "C" PRIMARY KEY,
        post_id          text,
        target_actor_id  text NOT NULL,
        status           text NOT NULL CHECK (status IN ('reported', 'open', 'decided')),
        revision         bigint NOT NULL DEFAULT -1,
        reports          integer NOT NULL,
        reasons          text[] NOT NULL,
        newest_report    numeric NOT NULL,
        decided_up_to    numeric,
        opened_position  numeric,
        opened_at        bigint,
        claimed_by       text,
        decision_id      text,
        decided_by       text,
        decided_at       bigint,
        outcome          text,
        waiting_appeals  text[] NOT NULL DEFAULT '{}',
        pending_effects  text[] NOT NULL DEFAULT '{}'
      );
      CREATE INDEX summary_of_target ON cases.summary (target_actor_id);
      CREATE INDEX summary_in_order ON cases.summary (opened_position) WHERE opened_position IS NOT NULL;
      CREATE INDEX summary_open ON cases.summary (opened_position) WHERE status = 'open';
      CREATE INDEX summary_claimed ON cases.summary (claimed_by, opened_position) WHERE claimed_by IS NOT NULL;
      CREATE INDEX summary_appealed ON cases.summary (opened_position) WHERE waiting_appeals <> '{}';
      CREATE INDEX summary_pending ON cases.summary (case_id) WHERE pending_effects <> '{}';
      CREATE INDEX summary_to_open ON cases.summary (case_id)
        WHERE status = 'reported' OR (status = 'decided' AND newest_report > decided_up_to);

      CREATE TABLE cases.report (
        report_id         text COLLATE "C" PRIMARY KEY,
        case_id           text COLLATE "C" NOT NULL,
        position          numeric NOT NULL,
        reporter_actor_id text,
        reason            text NOT NULL,
        at                bigint NOT NULL,
        decision_id       text,
        outcome           text
      );
      CREATE INDEX report_of_case ON cases.report (case_id, position);
      CREATE INDEX report_of_reporter ON cases.report (reporter_actor_id, position)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA cases CASCADE');
  }
}

export const caseMigrations = [CreateCases1763890000000];
