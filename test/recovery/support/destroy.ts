import { Client } from 'pg';
import type { TestNetwork } from '../../support/network.js';

type Running = Pick<TestNetwork, 'env'>;

/** Destroys every key of a running network. */
export async function destroyVault({ env }: Running): Promise<void> {
  await withClient(env['VAULT_DATABASE_URL'], (client) => client.query('TRUNCATE person_key'));
}

/** Drops all tables of a running network's witness. */
export async function destroyWitness({ env }: Running): Promise<void> {
  await withClient(env['WITNESS_DATABASE_URL'], (client) =>
    client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'),
  );
}

/** Whether the person's texts are unreadable. */
export async function isKeyDestroyed({ env }: Running, actorId: string): Promise<boolean> {
  return withClient(env['VAULT_DATABASE_URL'], async (client) => {
    const { rows } = await client.query<{ key: Buffer | null }>(
      'SELECT key FROM person_key WHERE person_id = $1',
      [actorId],
    );
    return rows.length === 1 && rows[0]?.key === null;
  });
}

/** Blocks every publication, also after a restart, until {@link releasePublication}. */
export async function holdPublication({ env }: Running): Promise<void> {
  await withClient(env['DATABASE_URL'], (client) =>
    client.query(`
      CREATE TABLE public.held AS SELECT;
      CREATE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        WHILE EXISTS (SELECT FROM public.held) LOOP PERFORM pg_sleep(0.05); END LOOP;
        RETURN NEW;
      END $$;
      CREATE TRIGGER hold BEFORE INSERT ON recovery.publication FOR EACH ROW EXECUTE FUNCTION public.hold()`),
  );
}

export async function releasePublication({ env }: Running): Promise<void> {
  await withClient(env['DATABASE_URL'], (client) => client.query('DELETE FROM public.held'));
}

async function withClient<T>(url: string | undefined, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
