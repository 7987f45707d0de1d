export interface BuildProgress {
  readonly phase: 'loading' | 'finishing' | 'catching_up' | 'verifying';
  readonly done: number;
  /**
   * An estimate from positions while events are read. `done` and `total` count events, or steps while
   * `finishing`.
   */
  readonly total: number;
  readonly rate: number;
  readonly secondsLeft: number | undefined;
}

export type OnProgress = (progress: BuildProgress) => void;
