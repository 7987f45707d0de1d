export abstract class Clock {
  /** Unix milliseconds, UTC. */
  abstract now(): number;
}

export abstract class IdGenerator {
  /** A new opaque identifier: 22 URL-safe characters, 128 random bits. */
  abstract random(): string;
  abstract uuid(): string;
}
