/** What monitoring asks of a store over HTTP/1.1. */
import { describe, expect, it } from '@jest/globals';
import { nodeOf, useEventStore } from './support.js';

const insecure = /tls=false/.test(process.env['EVENTSTORE_URL'] ?? 'tls=false');

(insecure ? describe : describe.skip)('over HTTP/1.1, on the port of gRPC', () => {
  const target = useEventStore();
  const ask = async (path: string, method = 'GET') =>
    fetch(`http://${nodeOf(target.address)}${path}`, { method });

  it('says that it lives', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask('/health/live', method);
      expect(answer.status).toBe(204);
      expect(await answer.text()).toBe('');
    }
    expect((await ask('/health/live', 'POST')).status).toBe(405);
  });

  it('answers a ping', async () => {
    const answer = await ask('/ping');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ text: 'Ping request successfully handled' });
  });

  it('says what it is', async () => {
    const answer = await ask('/info');
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await answer.json()).toMatchObject({
      esVersion: expect.stringMatching(/^2[3-9]\./),
      state: 'leader',
      authentication: { type: 'insecure' },
    });
  });

  it('knows no other pages', async () => {
    expect((await ask('/nothing-of-the-kind')).status).toBe(404);
  });
});
