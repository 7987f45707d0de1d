/** @slow */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { diskCases } from '../../chaos/disk/disk-cases.js';
import type { BrokenDisk } from '../../chaos/disk/disk-cases.js';
import type { Readiness } from '../../src/server/health/health.js';
import { freePort } from '../../src/launch/free-port.js';
import { registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { newDataDir, removeDataDir } from '../support/data-dir.js';
import { startEmbeddedEventStore, canHaveSmallDisk, makeSmallDisk } from '@plaza/event-store/testing';
import type { EmbeddedEventStore, SmallDisk } from '@plaza/event-store/testing';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';

(canHaveSmallDisk ? describe : describe.skip)(
  'with a full disk under the log (needs root, for a small disk)',
  () => {
    let disk: SmallDisk;
    let store: EmbeddedEventStore;
    let network: TestNetwork;
    let alice: SignedIn;

    beforeAll(async () => {
      disk = makeSmallDisk();
      store = await startEmbeddedEventStore({ dir: disk.dir });
      network = await startNetwork({ EVENTSTORE_URL: store.url }, newDataDir());
      alice = await personWithToken(network, await registerApplication(network));
    });

    afterAll(async () => {
      await network?.stop();
      await store?.stop();
      disk?.remove();
    });

    async function readiness() {
      const answer = await fetch(`${network.baseUrl}/readyz`);
      return { status: answer.status, body: (await answer.json()) as Readiness };
    }

    const metrics = async () =>
      (await fetch(`http://127.0.0.1:${network.env['OPERATOR_PORT']}/metrics`)).text();

    it('posts are refused and never stored in part, reads succeed, and a retry succeeds when there is space again', async () => {
      const before = (await alice.say('while there was room')).body.post;
      disk.fill();
      const posts = Array.from({ length: 8 }, (_, n) => ({
        intentId: randomUUID(),
        text: `${n} ${'x'.repeat(1_900)}`,
        audience: 'public',
      }));
      // The last block may still have space for one or two posts.
      const answers = await until(async () => {
        const all = await Promise.all(posts.map((post) => alice.post('/api/posts', post)));
        return all.some(({ status }) => status !== 200) && all;
      });
      for (const { status, body, headers } of answers.filter((answer) => answer.status !== 200)) {
        expect([status, body.error]).toEqual([503, 'domain_storage_unavailable']);
        expect(headers.get('retry-after')).toMatch(/^[1-9]/);
      }
      // Readiness changes in both directions without a write.
      await until(async () => (await readiness()).status === 503);
      expect((await readiness()).body.components['eventStore']).toEqual({
        status: 'failed',
        reason: expect.stringContaining('The disk of the event log is full'),
      });
      expect(await metrics()).toMatch(/^plaza_log_disk_full 1$/m);
      expect(await metrics()).toMatch(/^plaza_store_up\{store="log"\} 0$/m);
      const acknowledged = answers.filter(({ status }) => status === 200).map(({ body }) => body.post.id);
      const during = await alice.get('/api/reconcile');
      expect(during.status).toBe(200);
      expect(new Set(idsOf(during.body.ownPosts))).toEqual(new Set([before.id, ...acknowledged]));

      disk.empty();
      await until(async () => (await readiness()).status === 200);
      expect(await metrics()).toMatch(/^plaza_log_disk_full 0$/m);
      for (const post of posts)
        await until(async () => (await alice.post('/api/posts', post)).status === 200);
      const { body: after } = await alice.get('/api/reconcile');
      expect(after.ownPosts).toHaveLength(1 + posts.length);
    });
  },
);

const postgresCase = diskCases.find(({ name }) => name === 'full disk below Postgres');

(postgresCase && postgresCase.lacking === undefined ? describe : describe.skip)(
  'with a full disk under Postgres (needs root, for a small disk)',
  () => {
    let disk: BrokenDisk;
    let network: TestNetwork;
    let alice: SignedIn;

    beforeAll(async () => {
      const dataDir = newDataDir();
      if (!postgresCase) throw new Error('chaos has no such case');
      disk = postgresCase.prepare(dataDir);
      network = await startNetwork({ METRICS_PORT: String(await freePort()) }, dataDir);
      alice = await personWithToken(network, await registerApplication(network));
    });

    afterAll(async () => {
      await network?.halt();
      disk?.remove();
      if (network) removeDataDir(network.dataDir);
    });

    it('API and worker are not ready, the metrics report it, and writes succeed when there is space again', async () => {
      disk.break();
      const worker = `http://127.0.0.1:${network.env['METRICS_PORT']}`;
      for (const base of [network.baseUrl, worker]) {
        const { components } = await until(async () => {
          const answer = await fetch(`${base}/readyz`);
          const body = (await answer.json()) as Readiness;
          return answer.status === 503 && body.components['database']?.status === 'failed' && body;
        });
        expect(components['database']?.reason).toContain('The disk of Postgres is full');
      }
      const operator = `http://127.0.0.1:${network.env['OPERATOR_PORT']}`;
      expect(await (await fetch(`${operator}/metrics`)).text()).toMatch(/^plaza_database_disk_full 1$/m);

      await disk.mend(network);
      await until(async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200);
      await until(async () => (await alice.say('there is room again')).status === 200);
    });
  },
);

const idsOf = (posts: { id: string }[]): string[] => posts.map(({ id }) => id);
