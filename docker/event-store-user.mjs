/**
 * Creates the user `plaza` of an EventStoreDB, without administrator's rights: it reads `$all`, and reads and writes ordinary streams.
 * A repetition sets the password to that of the file.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';

const USER = 'plaza';
/** A cluster elects its leader, and makes its own users, after its nodes answer. */
const LONGEST_START_MS = 120_000;

const nodes = process.env.NODES.split(',');
const adminPassword = secret('eventstore-admin');
const password = secret('eventstore');

await untilDone(makeUser);
await untilDone(giveRights);
console.log(`the user ${USER} has its rights`);

function secret(name) {
  return readFileSync(`/run/secrets/${name}`, 'utf8').trimEnd();
}

async function untilDone(step) {
  const end = Date.now() + LONGEST_START_MS;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (Date.now() > end) throw error;
      console.log(`not yet: ${error.message}`);
      await delay(2_000);
    }
  }
}

async function makeUser() {
  const made = await post('/users/', { loginName: USER, fullName: 'Plaza', groups: [], password });
  if (made.status === 201) return;
  if (made.status !== 409) throw new Error(`the event store answers ${made.status} to a new user`);
  const reset = await post(`/users/${USER}/command/reset-password`, { newPassword: password });
  if (!reset.ok) throw new Error(`the event store answers ${reset.status} to a new password`);
}

/** Asks the node that leads, to which the others redirect: `fetch` would leave the credentials out there. */
async function post(path, body) {
  const authorization = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
  const ask = (url) =>
    fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const answer = await ask(`https://${nodes[0]}${path}`);
  const leader = answer.headers.get('location');
  return answer.status === 307 && leader !== null ? ask(leader) : answer;
}

async function giveRights() {
  const address = `esdb://admin:${encodeURIComponent(adminPassword)}@${nodes.join(',')}`;
  const client = EventStoreDBClient.connectionString(
    `${address}?tls=true&tlsCAFile=${process.env.NODE_EXTRA_CA_CERTS}`,
  );
  const both = ['$admins', USER];
  try {
    await client.setStreamMetadata('$all', { acl: { readRoles: both } });
    const $userStreamAcl = { $r: both, $w: both, $d: '$admins', $mr: '$admins', $mw: '$admins' };
    const settings = jsonEvent({ type: '$settings', data: { $userStreamAcl } });
    await client.appendToStream('$settings', settings);
  } finally {
    await client.dispose();
  }
}
