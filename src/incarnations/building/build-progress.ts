/** How far a build came. */
export interface BuildProgress {
  /** `loading` events; `finishing`: what can be made from them at once; `catching_up` with what came meanwhile. */
  readonly phase: 'loading' | 'finishing' | 'catching_up' | 'verifying';
  /** Of this phase: events, or in `finishing` steps. */
  readonly done: number;
  /** Estimated from positions while events are read, since nobody has counted them. */
  readonly total: number;
  /** Of `done` a second, in this run. */
  readonly rate: number;
  /** Of this phase; undefined until there is a rate. */
  readonly secondsLeft: number | undefined;
}

export type OnProgress = (progress: BuildProgress) => void;
