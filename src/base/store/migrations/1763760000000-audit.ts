import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAudit1763760000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA audit;

      CREATE TABLE audit.event (
        position      numeric PRIMARY KEY,
        event_id      uuid NOT NULL,
        at            bigint NOT NULL,
        type          text NOT NULL,
        stream        text NOT NULL,
        revision      numeric NOT NULL,
        subject       json NOT NULL,
        actor_id      text,
        app_id        text,
        grant_id      text,
        intent_id     text,
        request_id    text NOT NULL,
        address_class text,
        operator      text,
        reason        text
      );
      CREATE INDEX event_at ON audit.event (at);

      CREATE TABLE audit.about (
        kind     text COLLATE "C" NOT NULL CHECK (kind IN ('actor', 'post', 'app', 'grant')),
        id       text COLLATE "C" NOT NULL,
        position numeric NOT NULL,
        PRIMARY KEY (kind, id, position)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA audit CASCADE');
  }
}

export const auditMigrations = [CreateAudit1763760000000];
