/** Extent and settings of a run of a suite. */
export interface Effort {
  /** Fewer requests, 16 connections: to see what a change did, not to quote. */
  readonly quick: boolean;
  /** The one item to measure. Undefined: all. */
  readonly only: string | undefined;
  /** Further settings of the measured network. */
  readonly settings: NodeJS.ProcessEnv;
}
