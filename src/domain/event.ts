/** `type` is the name on the wire: past tense, dotted, never renamed or reused. */
export interface DomainEvent<Type extends string, Data extends object> {
  readonly type: Type;
  readonly data: Data;
}

/** Unix milliseconds, UTC. */
export interface EventTime {
  readonly at: number;
}
