import type { Projection, Statement } from '../runner/projection.js';
import { markUnsettled } from '../relations/hidden-up-to.sql.js';
import { profileVerifications } from './profile.verification.js';

interface NewActor {
  readonly actor_id: string;
  readonly handle: string | null;
  readonly display_name: string;
  readonly created_at: number;
}

const register: Statement<NewActor> = {
  name: 'actor.register',
  table: 'actor',
  key: (row) => row.actor_id,
  sql: `
    INSERT INTO actor (actor_id, handle, display_name, bio, website, revision, created_at, state)
    SELECT actor_id, handle, display_name, '', '', 1, created_at, 'active'
    FROM json_to_recordset($1) AS row(actor_id text, handle text, display_name text, created_at bigint)
    ON CONFLICT (actor_id) DO NOTHING`,
};

interface ChangedActor {
  readonly actor_id: string;
  readonly handle: string | null;
  readonly display_name: string;
  readonly bio: string;
  readonly website: string;
  readonly revision: number;
}

const change: Statement<ChangedActor> = {
  name: 'actor.change',
  table: 'actor',
  key: (row) => row.actor_id,
  sql: `
    UPDATE actor SET handle = row.handle, display_name = row.display_name, bio = row.bio, website = row.website,
      revision = row.revision
    FROM json_to_recordset($1) AS row(actor_id text, handle text, display_name text, bio text, website text,
      revision integer)
    WHERE actor.actor_id = row.actor_id AND actor.revision < row.revision AND actor.state <> 'erased'`,
};

interface ActorState {
  readonly actor_id: string;
  readonly state: 'active' | 'suspended';
}

const setState: Statement<ActorState> = {
  name: 'actor.set-state',
  table: 'actor',
  key: (row) => row.actor_id,
  sql: `
    WITH changed AS MATERIALIZED (
      SELECT actor.actor_id, actor.state, row.state AS new_state
      FROM json_to_recordset($1) AS row(actor_id text, state text) JOIN actor USING (actor_id)
      WHERE actor.state <> row.state AND actor.state <> 'erased'
    ), marked AS (${markUnsettled('changed')}
    )
    UPDATE actor SET state = changed.new_state FROM changed WHERE actor.actor_id = changed.actor_id`,
};

export const profile: Projection = {
  name: 'profile',
  version: 6,
  // Identifiers and handles use the "C" collation: a language's rules would slow down every index. Personal texts are not
  // sampled, since statistics would outlive an erasure. `unsettled`: see hidden-up-to.sql.ts.
  tables: `
    CREATE TABLE actor (
      actor_id text COLLATE "C" PRIMARY KEY,
      handle text COLLATE "C",
      display_name text NOT NULL,
      bio text NOT NULL,
      website text NOT NULL,
      revision integer NOT NULL,
      created_at bigint NOT NULL,
      state text NOT NULL CHECK (state IN ('active', 'suspended', 'erased'))
    );
    ALTER TABLE actor ALTER handle SET STATISTICS 0, ALTER display_name SET STATISTICS 0, ALTER bio SET STATISTICS 0,
      ALTER website SET STATISTICS 0;
    CREATE INDEX actor_suspended ON actor (actor_id) WHERE state <> 'active';
    CREATE TABLE unsettled (
      actor_id text COLLATE "C" PRIMARY KEY,
      up_to_at bigint NOT NULL,
      up_to_position numeric NOT NULL
    )`,
  indexes: 'CREATE INDEX actor_by_handle ON actor (handle)',
  verifications: profileVerifications,
  handlers: {
    'account.registered': ({ event: { data }, erased }, write) => {
      // Without its key the account is unreadable, and reads treat the actor as unknown.
      if (erased) return;
      write(register, {
        actor_id: data.actorId,
        handle: data.handle,
        display_name: data.displayName,
        created_at: data.at,
      });
    },
    'profile.changed': ({ event: { data }, erased }, write) => {
      if (erased) return;
      write(change, {
        actor_id: data.actorId,
        handle: data.handle,
        display_name: data.displayName,
        bio: data.bio,
        website: data.website,
        revision: data.revision,
      });
    },
    'account.suspended': ({ event: { data } }, write) =>
      write(setState, { actor_id: data.actorId, state: 'suspended' }),
    'account.reinstated': ({ event: { data } }, write) =>
      write(setState, { actor_id: data.actorId, state: 'active' }),
  },
};
