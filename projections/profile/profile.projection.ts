import type { Projection, Statement } from '../runner/projection.js';

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
    INSERT INTO actor (actor_id, handle, display_name, bio, website, revision, created_at)
    SELECT actor_id, handle, display_name, '', '', 1, created_at
    FROM json_to_recordset($1) AS row(actor_id text, handle text, display_name text, created_at bigint)
    ON CONFLICT (actor_id) DO NOTHING`,
};

/** Who is in the network, as others see them. */
export const profile: Projection = {
  name: 'profile',
  version: 1,
  // Identifiers compare by bytes: a language's rules would cost time at every index and mean nothing.
  tables: `
    CREATE TABLE actor (
      actor_id text COLLATE "C" PRIMARY KEY,
      handle text,
      display_name text NOT NULL,
      bio text NOT NULL,
      website text NOT NULL,
      revision integer NOT NULL,
      created_at bigint NOT NULL
    )`,
  handlers: {
    'account.registered': ({ event: { data }, erased }, write) => {
      // Whose key is gone is nobody any more: reads as unknown.
      if (erased) return;
      write(register, {
        actor_id: data.actorId,
        handle: data.handle,
        display_name: data.displayName,
        created_at: data.at,
      });
    },
  },
};
