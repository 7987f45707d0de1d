/** What handlers take from the world besides the log: given to them, so that a test can say what they are. */
export abstract class Clock {
  /** Unix milliseconds, UTC. */
  abstract now(): number;
}

export abstract class IdGenerator {
  /** A new opaque identifier: 22 URL-safe characters, 128 random bits. */
  abstract random(): string;
  /** A new UUID, for an event. */
  abstract uuid(): string;
}
