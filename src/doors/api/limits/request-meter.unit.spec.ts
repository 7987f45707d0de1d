import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import type { QuotaState } from '../../../server/limits/rate-limit-fields.js';
import { HttpRefusal } from '../../../server/errors.js';
import { RequestMeter } from './request-meter.js';

const standing = (granted: number, left: number): QuotaState => ({
  policy: { name: 'anonymous', limit: { quota: 120, windowSeconds: 60 } },
  consumed: { granted, left, msToReset: 41_500 },
});

/** The answer to a request whose handler counts it `times` times. */
async function answerTo(take: () => Promise<QuotaState | undefined>, times = 1) {
  const server = fastify();
  server.setErrorHandler((error, _request, reply) =>
    reply.status(error instanceof HttpRefusal ? error.status : 500).send(String(error)),
  );
  server.get('/', async (request, reply) => {
    const meter = new RequestMeter(request, reply);
    for (let count = 0; count < times; count++) await meter.count(take);
    return meter.peerAddress;
  });
  return server.inject({ url: '/', remoteAddress: '203.0.113.9' });
}

describe('a request', () => {
  it('is counted once, however often that is requested', async () => {
    let taken = 0;
    const { headers, body } = await answerTo(() => Promise.resolve(standing(1, 120 - ++taken)), 3);
    expect(taken).toBe(1);
    expect(body).toBe('203.0.113.9');
    expect(headers).toMatchObject({
      'ratelimit-policy': '"anonymous";q=120;w=60',
      ratelimit: '"anonymous";r=119;t=42',
    });
  });

  it('is refused if no points are left, with a retry time', async () => {
    const { statusCode, headers } = await answerTo(() => Promise.resolve(standing(0, 0)));
    expect([statusCode, headers['retry-after'], headers['ratelimit']]).toEqual([
      429,
      '42',
      '"anonymous";r=0;t=42',
    ]);
  });

  it('is answered without limit headers if there are no limits', async () => {
    const { statusCode, headers } = await answerTo(() => Promise.resolve(undefined));
    expect([statusCode, headers['ratelimit'], headers['ratelimit-policy']]).toEqual([
      200,
      undefined,
      undefined,
    ]);
  });
});
