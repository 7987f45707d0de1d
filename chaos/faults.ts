import type { Random } from './random.js';

/** Processes of a network. `network`: all of them at once. `leader`: the node that leads a cluster of event stores. */
export type Victim = 'event store' | 'leader' | 'Postgres' | 'worker' | 'API' | 'launcher' | 'network';

/** `kill again`: what is started in its place is killed as well, before it serves. */
export type Harm = 'kill' | 'kill again' | 'freeze';

export interface Fault {
  readonly harm: Harm;
  readonly victim: Victim;
  /** How long it is frozen; how long its successor lives. Milliseconds. */
  readonly forMs: number;
}

export const everyFault: readonly (readonly [Harm, Victim])[] = [
  ['kill', 'event store'],
  ['kill', 'Postgres'],
  ['kill', 'worker'],
  ['kill', 'API'],
  ['kill', 'launcher'],
  ['kill', 'network'],
  ['kill again', 'event store'],
  ['kill again', 'Postgres'],
  ['kill again', 'worker'],
  ['kill again', 'API'],
  ['freeze', 'event store'],
  ['freeze', 'Postgres'],
  ['freeze', 'worker'],
  ['freeze', 'API'],
  ['freeze', 'launcher'],
  ['freeze', 'network'],
];

/** Where the event store is a cluster. */
export const faultsOfLeader: typeof everyFault = [
  ['kill', 'leader'],
  ['freeze', 'leader'],
];

/** Longer than most deadlines of the network, shorter than what a client waits. */
const FROZEN_MS = { least: 1_000, most: 8_000 };
const SUCCESSOR_MS = { least: 0, most: 1_500 };

/** The faults of a run, which the random numbers alone decide: all kinds in turn, each time in another order. */
export function faultsOf(random: Random, rounds: number, possible = everyFault): Fault[] {
  const faults: Fault[] = [];
  while (faults.length < rounds)
    for (const [harm, victim] of random.shuffled(possible)) {
      const { least, most } = harm === 'freeze' ? FROZEN_MS : SUCCESSOR_MS;
      faults.push({ harm, victim, forMs: random.between(least, most) });
    }
  return faults.slice(0, rounds);
}

export const faultText = ({ harm, victim, forMs }: Fault): string =>
  `${harm} ${victim}${harm === 'kill' ? '' : harm === 'freeze' ? ` for ${forMs} ms` : ` after ${forMs} ms`}`;
