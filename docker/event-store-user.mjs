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

/** A frozen node must not use up the time of the others. */
const LONGEST_ANSWER_MS = 5_000;

const { NODES, NODE_EXTRA_CA_CERTS, SECRETS = '/run/secrets' } = process.env;
const nodes = NODES.split(',');
const adminPassword = secret('eventstore-admin');
const password = secret('eventstore');

await untilDone(makeUser);
console.log(`the user ${USER} has its password`);
await untilDone(giveRights);
console.log(`the user ${USER} has its rights`);

function secret(name) {
  return readFileSync(`${SECRETS}/${name}`, 'utf8').trimEnd();
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
  if (made.ok) return;
  const reset = await post(`/users/${USER}/command/reset-password`, { newPassword: password });
  if (!reset.ok) throw new Error(`the event store answers ${reset.status} to a new password`);
}

/** Asks one node after the other, until one answers that it is done, or that the user exists (409). */
async function post(path, body) {
  const faults = [];
  for (const node of nodes) {
    try {
      const answer = await askLeader(`https://${node}${path}`, JSON.stringify(body));
      if (answer.ok || answer.status === 409) return answer;
      faults.push(`${node} answers ${answer.status}`);
    } catch (error) {
      faults.push(`${node}: ${error.cause?.code ?? error.message}`);
    }
  }
  throw new Error(faults.join(', '));
}

/** The leader executes the request, and the other nodes redirect to it: `fetch` would leave out the credentials there. */
async function askLeader(url, body) {
  const authorization = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
  const ask = (address) =>
    fetch(address, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
    });
  const answer = await ask(url);
  const leader = answer.headers.get('location');
  return answer.status === 307 && leader !== null ? ask(leader) : answer;
}

async function giveRights() {
  const address = `esdb://admin:${encodeURIComponent(adminPassword)}@${nodes.join(',')}`;
  const client = EventStoreDBClient.connectionString(`${address}?tls=true&tlsCAFile=${NODE_EXTRA_CA_CERTS}`);
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
