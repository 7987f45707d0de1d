/** `type` is stored in the log: dotted, in the past tense, never renamed or reused. */
export interface DomainEvent<Type extends string, Data extends object> {
  readonly type: Type;
  readonly data: Data;
}

/** Unix milliseconds, UTC. */
export interface EventTime {
  readonly at: number;
}
