/** The HTTP/1.1 endpoints for monitoring. */
import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { describeAs2310, useEventStore } from './support/contract.js';

describe('over HTTP/1.1 on the gRPC port', () => {
  const target = useEventStore();

  async function ask(path: string, method = 'GET') {
    const { node, isTls, rootCertificate } = target.address;
    const request = (isTls ? tlsRequest : plainRequest)({
      host: node.address,
      port: node.port,
      path,
      method,
      ca: rootCertificate,
    });
    const [answer] = (await once(request.end(), 'response')) as [IncomingMessage];
    return { status: answer.statusCode, type: answer.headers['content-type'], body: await text(answer) };
  }

  it('reports that it is live', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask('/health/live', method);
      expect(answer.status).toBe(204);
      expect(answer.body).toBe('');
    }
    expect((await ask('/health/live', 'POST')).status).toBe(405);
  });

  it('answers a ping', async () => {
    const answer = await ask('/ping');
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ text: 'Ping request successfully handled' });
  });

  describeAs2310('as 23.10 does', () => {
    it('answers a ping with the type of the message', async () => {
      const answer = await ask('/ping');
      expect(JSON.parse(answer.body)).toMatchObject({ msgTypeId: expect.any(Number), label: 'Http' });
    });
  });

  it('reports its version and state', async () => {
    const answer = await ask('/info');
    expect(answer.type).toMatch(/^application\/json/);
    expect(JSON.parse(answer.body)).toMatchObject({
      esVersion: expect.stringMatching(/^2[3-9]\./),
      state: 'leader',
      authentication: { type: expect.any(String) },
    });
  });

  it('answers 404 for other paths', async () => {
    expect((await ask('/nothing-of-the-kind')).status).toBe(404);
  });
});
