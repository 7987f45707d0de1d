import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { sleep } from '../../../base/support/sleep.js';
import { readPlots, SAMPLE_INTERVAL_MS } from '../../network/plots/sampler.js';
import type { Plot } from '../../network/plots/plots.js';
import type { ActServices } from '../../desk/services.js';
import type { Exchange } from '../../console/visit.js';

interface Reading {
  readonly at: number;
  readonly plots: Promise<readonly Plot[]>;
}

/** One reading for all viewers of a process. */
const readings = new WeakMap<ActServices['pool'], Reading>();

function sharedPlots({ pool, clock }: Pick<ActServices, 'pool' | 'clock'>): Promise<readonly Plot[]> {
  const [last, now] = [readings.get(pool), clock.now()];
  if (last && now - last.at < SAMPLE_INTERVAL_MS / 2) return last.plots;
  const plots = readPlots(pool, now);
  readings.set(pool, { at: now, plots });
  return plots;
}

/** Server-sent events (HTML Living Standard, section 9.2). Ends with the session, of which it is no use. */
export function streamPlots({ reply, services, visit, authentication }: Exchange): FastifyReply {
  const stream = new PassThrough();
  const left = new AbortController();
  stream.once('close', () => left.abort());
  const follow = async () => {
    for (;;) {
      const session = await authentication.sessionOf(visit.secret, { isUse: false });
      if (!session) return stream.end('event: ended\ndata: \n\n');
      stream.write(`event: plots\ndata: ${JSON.stringify(await sharedPlots(services))}\n\n`);
      await sleep(SAMPLE_INTERVAL_MS, left.signal);
      if (left.signal.aborted) return;
    }
  };
  // The browser connects again by itself.
  void follow().catch(() => stream.destroy());
  return reply
    .headers({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(stream);
}
