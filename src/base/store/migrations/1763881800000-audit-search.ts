import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CreateAudit1763760000000 } from './1763760000000-audit.js';

/**
 * Tables that answer each filter of the audit in the order of time, and rollups of what applications did. The worker
 * fills them again from the log.
 */
export class CreateAuditSearch1763881800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- First, as the group's worker locks it: the reverse order would deadlock.
      DELETE FROM recovery.checkpoint WHERE group_name = 'audit';
      DROP TABLE audit.event, audit.about;

      CREATE TABLE audit.event (
        position          numeric PRIMARY KEY,
        event_id          uuid NOT NULL,
        at                bigint NOT NULL,
        type              text COLLATE "C" NOT NULL,
        stream            text NOT NULL,
        revision          numeric NOT NULL,
        subject           json NOT NULL,
        actor_id          text,
        app_id            text,
        grant_id          text,
        intent_id         text COLLATE "C",
        request_id        text COLLATE "C" NOT NULL,
        client_request_id text COLLATE "C",
        address_class     text,
        operator_id       text,
        operator          text,
        reason            text
      );
      CREATE INDEX event_by_time ON audit.event (at, position);
      CREATE INDEX event_by_type ON audit.event (type, at, position);
      CREATE INDEX event_by_intent ON audit.event (intent_id, at, position) WHERE intent_id IS NOT NULL;
      CREATE INDEX event_by_request ON audit.event (request_id, at, position);
      CREATE INDEX event_by_client_request ON audit.event (client_request_id, at, position)
        WHERE client_request_id IS NOT NULL;

      CREATE TABLE audit.about (
        kind     text COLLATE "C" NOT NULL CHECK (kind IN ('actor', 'post', 'app', 'grant', 'operator')),
        id       text COLLATE "C" NOT NULL,
        at       bigint NOT NULL,
        position numeric NOT NULL,
        PRIMARY KEY (kind, id, at, position)
      );

      -- Events that an application caused. hour: its begin, Unix milliseconds.
      CREATE TABLE audit.app_hour (
        app_id text COLLATE "C" NOT NULL,
        hour   bigint NOT NULL,
        act    text COLLATE "C" NOT NULL,
        events bigint NOT NULL,
        PRIMARY KEY (app_id, hour, act)
      );
      CREATE TABLE audit.app_actor_hour (
        app_id   text COLLATE "C" NOT NULL,
        hour     bigint NOT NULL,
        actor_id text COLLATE "C" NOT NULL,
        events   bigint NOT NULL,
        PRIMARY KEY (app_id, hour, actor_id)
      );
      CREATE TABLE audit.app_actor (
        app_id   text COLLATE "C" NOT NULL,
        actor_id text COLLATE "C" NOT NULL,
        events   bigint NOT NULL,
        PRIMARY KEY (app_id, actor_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DELETE FROM recovery.checkpoint WHERE group_name = 'audit'; DROP SCHEMA audit CASCADE`,
    );
    await new CreateAudit1763760000000().up(runner);
  }
}

export const auditSearchMigrations = [CreateAuditSearch1763881800000];
