import type { Random } from './random.js';

/**
 * `network`: all processes at once. `leader`: the leading node of an event store cluster. `isolated leader`: the
 * same, while the API alone reaches it.
 */
export type Victim =
  | 'event store'
  | 'leader'
  | 'isolated leader'
  | 'Postgres'
  | 'worker'
  | 'API'
  | 'launcher'
  | 'network';

/**
 * `kill again`: also kills the successor, before it serves. `strand`: kills the followers and then the
 * leader, which thus holds events that they lack. `cut off`: breaks the connections, while all processes run.
 */
export type Harm = 'kill' | 'kill again' | 'freeze' | 'strand' | 'cut off';

export interface Fault {
  readonly harm: Harm;
  readonly victim: Victim;
  /** Milliseconds of the freeze, also of the followers, of the successor's life, or until the cut heals. */
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

export const faultsOfLeader: typeof everyFault = [
  ['kill', 'leader'],
  ['freeze', 'leader'],
  ['strand', 'leader'],
];

/** Possible where the nodes reach each other through proxies. */
export const faultsOfProxiedLeader: typeof everyFault = [['cut off', 'isolated leader']];

/** Longer than most deadlines of the network, shorter than a client's patience. */
const FROZEN_MS = { least: 1_000, most: 8_000 };
const SUCCESSOR_MS = { least: 0, most: 1_500 };
/** Time in which writes reach the leader alone. */
const STRANDED_MS = { least: 300, most: 1_500 };
/** Heals before the former leader notices that it is alone, or after. */
const CUT_OFF_MS = { least: 0, most: 4_000 };
const durations = {
  kill: SUCCESSOR_MS,
  'kill again': SUCCESSOR_MS,
  freeze: FROZEN_MS,
  strand: STRANDED_MS,
  'cut off': CUT_OFF_MS,
};

/** Generates a run's faults from the random numbers alone: all kinds in turn, in a new order each time. */
export function faultsOf(random: Random, rounds: number, possible = everyFault): Fault[] {
  const faults: Fault[] = [];
  while (faults.length < rounds)
    for (const [harm, victim] of random.shuffled(possible)) {
      const { least, most } = durations[harm];
      faults.push({ harm, victim, forMs: random.between(least, most) });
    }
  return faults.slice(0, rounds);
}

const texts: Readonly<Record<Harm, (forMs: number) => string>> = {
  kill: () => '',
  'kill again': (forMs) => ` after ${forMs} ms`,
  freeze: (forMs) => ` for ${forMs} ms`,
  strand: (forMs) => ` for ${forMs} ms`,
  'cut off': (forMs) => `, healed ${forMs} ms after the answers`,
};

export const faultText = ({ harm, victim, forMs }: Fault): string => `${harm} ${victim}${texts[harm](forMs)}`;
