/** Knows how far the published read models are. */
export interface Positions {
  /** Whether they show the event at `position` within that time. */
  waitFor(position: bigint, timeoutMs: number): Promise<boolean>;
}
