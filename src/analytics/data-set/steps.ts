/** Points of a flush or compaction at which a test ends the process. */
export const steps = [
  'half of a file written',
  'file written',
  'file synced',
  'file renamed',
  'commit written',
  'commit linked',
  'commit synced',
  'one superseded file removed',
] as const;

export type Step = (typeof steps)[number];
export type Phase = 'flush' | 'fold' | 'compaction';
export type OnStep = (phase: Phase, step: Step) => void;
