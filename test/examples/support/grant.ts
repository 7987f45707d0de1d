import { Client } from 'pg';
import { streams } from '../../../src/log/streams.js';
import { eventsInLog, openLogOf } from '../../support/network-log.js';
import type { TestNetwork } from '../../support/network.js';

type Network = Pick<TestNetwork, 'env'>;

async function query<Row extends object>({ env }: Network, sql: string, values: unknown[]) {
  const client = new Client(env['DATABASE_URL']);
  await client.connect();
  try {
    return await client.query<Row>(sql, values);
  } finally {
    await client.end();
  }
}

/** Ends all access tokens of a person now, and no refresh token. */
export async function expireAccessTokens(network: Network, actorId: string): Promise<void> {
  const { rowCount } = await query(
    network,
    `UPDATE authority.oidc_record SET expires_at = now() - interval '1 second'
     WHERE kind = 'AccessToken' AND grant_id IN (SELECT grant_id FROM authority.app_grant WHERE actor_id = $1)`,
    [actorId],
  );
  if (rowCount === 0) throw new Error('this person has no access token');
}

/** Types of the events of a person's grants for an application. */
export async function eventsOfGrant(network: Network, appId: string, actorId: string): Promise<string[]> {
  const { rows } = await query<{ grant_id: string }>(
    network,
    'SELECT grant_id FROM authority.app_grant WHERE actor_id = $1 AND app_id = $2',
    [actorId, appId],
  );
  const opened = await openLogOf(network);
  try {
    const types: string[] = [];
    for (const { grant_id: grantId } of rows)
      for (const { event } of await opened.log.read(streams.grant(grantId))) types.push(event.type);
    return types;
  } finally {
    await opened.close();
  }
}

/** The intents of all posts of a person in the log. */
export async function intentsOfPosts(network: Network, actorId: string): Promise<(string | undefined)[]> {
  const created = await eventsInLog(network, ['post.created']);
  return created
    .filter(({ metadata }) => metadata.actorId === actorId)
    .map(({ metadata }) => metadata.intentId);
}
