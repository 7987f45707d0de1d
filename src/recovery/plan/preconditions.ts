import type { WitnessStatus } from './recovery-status.js';

type Findings = Pick<WitnessStatus, 'brokenLine' | 'unwitnessed' | 'onlyShown'>;

export const NEEDS_RESEED =
  'The witness lacks restrictions that the log has: the witness was lost, rolled back or is another one. Put the right witness in its place, or fill this one from the log with --reseed-witness.';

/** Returns why a recovery must not trust this log and witness, and the remedy; undefined if it may. */
export function checkPreconditions(
  { brokenLine, unwitnessed, onlyShown }: Findings,
  reseed: boolean,
): string | undefined {
  if (brokenLine !== null)
    return `The witness's ledger was altered at line ${brokenLine} and proves nothing. Restore it from a backup, or put an empty database in its place and apply with --reseed-witness.`;
  if (onlyShown > 0)
    return `Neither the log nor the witness knows ${onlyShown} of the restrictions that the read models show: both were lost or rolled back, and removed content or revoked access would return. Put a newer copy of one of them in its place.`;
  return unwitnessed > 0 && !reseed ? NEEDS_RESEED : undefined;
}

export function describeLogMismatch(
  found: string | undefined,
  published: string | undefined,
): string | undefined {
  if (found === undefined)
    return 'The log is empty: restore it from a backup (plaza restore), or start with an empty read store.';
  if (published === undefined || found === published) return undefined;
  return `The log belongs to network ${found}, the read store to network ${published}. Nothing was changed. Point EVENTSTORE_URL or DATA_DIR at the right log, or DATABASE_URL at the right read store.`;
}
