/** A fact, in the past tense. `type` is its name on the wire: dotted, never renamed, never reused. */
export interface DomainEvent<Type extends string, Data extends object> {
  readonly type: Type;
  readonly data: Data;
}

/** When it happened: Unix milliseconds, UTC. */
export interface Occurrence {
  readonly at: number;
}
