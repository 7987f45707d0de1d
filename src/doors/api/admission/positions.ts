export interface Positions {
  /** Resolves to true once the published read models show the event at `position`; to false after `timeoutMs`. */
  waitFor(position: bigint, timeoutMs: number): Promise<boolean>;
}
