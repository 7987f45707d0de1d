import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { isSampled, sampleOf } from '../support/sample.js';
import { commandArbitraries } from './commands.js';
import { makePeople } from './people.js';
import type { Person } from './people.js';
import { RealNetwork } from './real-network.js';
import { NetworkModel } from './network-model.js';
import { compareViews } from './compare-views.js';

const HISTORIES = 150;
const RUN = isSampled ? 12 : HISTORIES;
const LONGEST = 12;
const PEOPLE_EACH = 3;
const AT_ONCE = 12;
const SEED = 20_261_121;

let network: TestNetwork;
let people: Person[];

beforeAll(async () => {
  network = await lentNetwork();
  people = await makePeople(network, RUN * PEOPLE_EACH);
});

afterAll(() => network?.stop());

/** Processes to kill after this many histories; the launcher restarts them. */
const kills = new Map([
  [50, 'worker'],
  [100, 'eventStore'],
] as const);

function killProcessAfter(done: number): void {
  const doomed = kills.get(done as never);
  const pid = doomed && network.pids()[doomed];
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
}

describe('whatever a few people do to each other', () => {
  it('everybody reads what they may and nothing happens twice, despite restarts of worker and event store', async () => {
    const commands = fc.commands(commandArbitraries, { maxCommands: LONGEST, size: 'max' });
    const all = fc.sample(commands, { seed: SEED, numRuns: HISTORIES });
    const histories = sampleOf([...all.entries()], RUN).entries();
    let done = 0;
    const runHistories = async (): Promise<void> => {
      for (const [turn, [n, history]] of histories) {
        const society = new NetworkModel();
        const real = new RealNetwork(
          network.baseUrl,
          people.slice(turn * PEOPLE_EACH, (turn + 1) * PEOPLE_EACH),
        );
        try {
          await fc.asyncModelRun(() => ({ model: society, real }), history);
          await compareViews(society, real, n);
        } catch (error) {
          throw new Error(`history ${n}: ${[...history].join(' ')}`, { cause: error });
        }
        killProcessAfter(++done);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, runHistories));
    expect(done).toBe(RUN);
  });
});
