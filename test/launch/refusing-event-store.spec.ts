/**
 * Each case goes on with the answers that the one before has left.
 *
 * @sample first
 * @slow
 */
import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { Readiness } from '../../src/server/health/health.js';
import { spawnPlaza } from '../support/command.js';
import { registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { newDataDir } from '../support/data-dir.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { startInterceptingProxy } from '../support/intercepting-proxy.js';
import type { InterceptingProxy, Intercept } from '../support/intercepting-proxy.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { denyReadsOfAll, limitAppendSize } from '../support/event-store-refusals.js';
import { until } from '../support/until.js';

/** An event store with TLS and users, whose answers a test can replace. */
let store: EmbeddedEventStore;
let front: InterceptingProxy;
let network: TestNetwork;
let intercept: Intercept;

const passOn: Intercept = () => undefined;
const beAway: Intercept = () => ({ error: { code: status.UNAVAILABLE, details: 'away' } });

beforeAll(async () => {
  store = await startEmbeddedEventStore({ args: ['--tls'] });
  front = await startInterceptingProxy(store, (...given) => intercept(...given));
  intercept = denyReadsOfAll;
  const settings = { EVENTSTORE_URL: front.url, LOG_LEVEL: 'debug', DEBUG: 'esdb*' };
  network = await startNetwork(settings, newDataDir());
});

afterAll(async () => {
  await network?.stop();
  front?.close();
  await store?.stop();
});

async function readiness(): Promise<Readiness['components']> {
  const answer = await fetch(`${network.baseUrl}/readyz`);
  return ((await answer.json()) as Readiness).components;
}

const isReady = async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200;

/** The faults that each process logged about the event store at its start. */
function faultsAtStart(): readonly (readonly [string, string])[] {
  return network
    .output()
    .split('\n')
    .filter((line) => line.includes('event store unusable as configured'))
    .map((line) => JSON.parse(line) as { process: string; reason: string })
    .map(({ process, reason }) => [process, reason] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

describe('with a user who may not read $all', () => {
  const reason =
    'The user in EVENTSTORE_URL may not read $all: add it, or a group of it, to $r in the $acl of $all.';

  it('each process logs one line, and readiness reports it', async () => {
    expect(await until(() => faultsAtStart().length > 1 && faultsAtStart())).toEqual([
      ['api', reason],
      ['worker', reason],
    ]);
    await until(async () => (await readiness())['eventStore']?.reason === reason);
  });

  it('the network becomes ready as soon as the user may, without a restart', async () => {
    intercept = passOn;
    expect(await until(isReady)).toBe(true);
    expect(faultsAtStart()).toHaveLength(2);
  });
});

describe('with an append limit below the largest append', () => {
  let alice: SignedIn;

  beforeAll(async () => {
    alice = await personWithToken(network, await registerApplication(network));
  });

  it('an append that does not fit is an outage with a reason, and the same intent works later', async () => {
    intercept = limitAppendSize(3_000);
    const post = { intentId: randomUUID(), text: '😀'.repeat(2_000), audience: 'public' };
    const { status: answered, body } = await alice.post('/api/posts', post);
    expect([answered, body.error]).toEqual([503, 'domain_storage_unavailable']);
    // A check that others asked for before may be the one that answers.
    await until(async () => (await readiness())['eventStore']?.reason?.includes('--max-append-size'));
    intercept = passOn;
    expect(await until(isReady)).toBe(true);
    expect((await alice.post('/api/posts', post)).status).toBe(200);
  });
});

describe('with a log that is unavailable for long', () => {
  it('readiness does not blame the worker, not even right after the outage', async () => {
    const { worker = 0 } = network.pids();
    process.kill(worker, 'SIGSTOP');
    try {
      intercept = beAway;
      await ageHeartbeats('1 minute');
      expect(await readiness()).toMatchObject({
        eventStore: { status: 'failed' },
        worker: { status: 'ok' },
      });
      intercept = passOn;
      const back = await until(async () => {
        const found = await readiness();
        return found['eventStore']?.status === 'ok' && found;
      });
      expect(back['worker']).toEqual({ status: 'ok' });
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    expect(await until(isReady)).toBe(true);
  });

  async function ageHeartbeats(interval: string): Promise<void> {
    const client = new Client({ connectionString: network.env['DATABASE_URL'] });
    await client.connect();
    try {
      await client.query('UPDATE recovery.heartbeat SET beat_at = now() - $1::interval', [interval]);
    } finally {
      await client.end();
    }
  }
});

it('no process prints the address or its password at any log level', () => {
  const [, password = ''] = /:([\w-]+)@/.exec(front.url) ?? [];
  expect(password).toHaveLength(43);
  expect(network.output()).toContain('esdb:connection');
  for (const secret of [password, Buffer.from(`plaza:${password}`).toString('base64')])
    expect(network.output()).not.toContain(secret);
});

it('a start with an unknown option fails with one line that names it', async () => {
  const EVENTSTORE_URL = `${front.url}&tlsVerfyCert=true`;
  for (const ROLE of ['all', 'api', 'projector']) {
    const env = { ...network.env, ROLE, EVENTSTORE_URL, DEBUG: '*', LOG_LEVEL: 'debug' };
    const { code, stdout, stderr } = await spawnPlaza(['start'], env);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe('EVENTSTORE_URL: there is no option tlsVerfyCert; did you mean tlsVerifyCert?\n');
  }
});
