import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { BenchNetwork } from '../network.js';
import { operatorOf } from '../operator.js';
import { Answers, offer } from './offer.js';
import { toSuspend } from './people.js';
import type { Person } from './person.js';
import { sample } from './sample.js';
import type { Sample } from './sample.js';

/** Takes about a quarter of two cores: what grows shows as such, and not as requests that wait. */
const PER_SECOND = 80;
const SUSPENDED_MS = 15_000;
const reason = 'a measurement';

interface Run {
  readonly minutes: number;
  readonly pool: Pool;
  /** Ends the run early. */
  readonly stopped: AbortSignal;
  readonly onSample: (sample: Sample) => void;
}

/** People, an operator who suspends and reinstates, and one rebuild, with a sample each minute. */
export async function run(
  network: BenchNetwork,
  people: readonly Person[],
  { minutes, pool, stopped, onSample }: Run,
): Promise<void> {
  const over = new AbortController();
  const operator = operatorOf(network.run.settings);
  let answers = new Answers();
  const load = { baseUrl: network.baseUrl, people, perSecond: PER_SECOND, over: over.signal };

  /** A failure is an error of the run, which goes on. */
  const counted = async (kind: string, act: () => Promise<unknown>) => {
    const begun = performance.now();
    try {
      await act();
      answers.served(kind, performance.now() - begun);
    } catch (error) {
      answers.failed(`${kind}: ${String(error)}`);
    }
  };
  const suspendInTurns = async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      const act = { id: toSuspend[n % toSuspend.length] ?? '', reason };
      await counted('suspension', () => operator.call('POST /operator/accounts/:id/suspend', act));
      await rest(SUSPENDED_MS, over.signal);
      await counted('reinstatement', () => operator.call('POST /operator/accounts/:id/reinstate', act));
      await rest(SUSPENDED_MS, over.signal);
    }
  };
  const rebuildOnce = async () => {
    await rest((minutes / 2) * 60_000, over.signal);
    if (over.signal.aborted) return;
    await counted('rebuild', async () => {
      const { id } = await operator.call('POST /operator/projections/rebuild', { reason });
      const latest = performance.now() + (minutes / 4) * 60_000;
      let state = 'requested';
      while (state !== 'published' && !over.signal.aborted) {
        if (['failed', 'paused', 'rolled_back'].includes(state) || performance.now() > latest)
          throw new Error(`the job is ${state}`);
        await rest(500, over.signal);
        ({ state } = await operator.call('GET /operator/jobs/:id', { id }));
      }
    });
  };
  const takeSamples = async () => {
    const begun = performance.now();
    for (let minute = 1; minute <= minutes; minute++) {
      await rest(begun + minute * 60_000 - performance.now(), stopped);
      if (stopped.aborted) break;
      const ended = answers;
      answers = new Answers();
      onSample(await sample(minute, ended, network, pool));
    }
    over.abort();
  };
  try {
    await Promise.all([
      offer({ ...load, answers: () => answers }),
      suspendInTurns(),
      rebuildOnce(),
      takeSamples(),
    ]);
  } finally {
    over.abort();
  }
}

const rest = (ms: number, over: AbortSignal): Promise<void> =>
  pause(Math.max(0, ms), undefined, { signal: over }).catch((error: unknown) => {
    if (!over.aborted) throw error;
  });
