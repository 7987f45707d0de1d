export abstract class Clock {
  /** Unix milliseconds, UTC. */
  abstract now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
