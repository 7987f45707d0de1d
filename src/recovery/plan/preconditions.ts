import type { WitnessStatus } from './recovery-status.js';

/** What is asked of log and witness before a recovery believes them. */
type Found = Pick<WitnessStatus, 'brokenLine' | 'unwitnessed' | 'onlyShown'>;

export const NEEDS_RESEED =
  'The log has restrictions that the witness lacks: it was lost, set back or is another one. Bring the right one back, or say that it is to be told again what the log has: --reseed-witness.';

/** Why nothing must be recovered by a log and a witness like these, and what to do, in words; undefined: it may. */
export function checkPreconditions(
  { brokenLine, unwitnessed, onlyShown }: Found,
  reseed: boolean,
): string | undefined {
  if (brokenLine !== null)
    return `The witness's ledger was altered at line ${brokenLine}: what it says proves nothing. Restore it from a backup, or put an empty database in its place and apply with --reseed-witness.`;
  if (onlyShown > 0)
    return `Neither the log nor the witness knows ${onlyShown} of the restrictions that the read models show: both were lost or set back, and what was taken away would be there again. Put a newer copy of one of them in its place.`;
  return unwitnessed > 0 && !reseed ? NEEDS_RESEED : undefined;
}
