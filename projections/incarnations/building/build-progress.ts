export interface BuildProgress {
  readonly phase: 'loading' | 'finishing' | 'catching_up' | 'verifying';
  readonly done: number;
  /** `done` and `total` count events, or steps while `finishing`. The total of events is an estimate from positions. */
  readonly total: number;
  readonly rate: number;
  readonly secondsLeft: number | undefined;
}

export type OnProgress = (progress: BuildProgress) => void;

export const buildSteps: { readonly [Phase in BuildProgress['phase']]: string } = {
  loading: 'loading events',
  finishing: 'building indexes',
  catching_up: 'catching up',
  verifying: 'verifying every table',
};
