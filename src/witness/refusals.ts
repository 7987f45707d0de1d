import { NotWitnessed } from '../log/event-log.js';
import { WitnessMismatch, WitnessRequired, WitnessUnavailable } from './witness.js';

/** What went wrong while a restriction was prepared: nothing of it was written. */
export function notPrepared(error: unknown): unknown {
  const options = { cause: error };
  if (error instanceof WitnessRequired)
    return new NotWitnessed('restriction_witness_required', 'This process has no witness.', options);
  if (error instanceof WitnessUnavailable)
    return new NotWitnessed(
      'restriction_witness_unavailable_or_incomplete',
      'The witness does not answer; nothing was written.',
      options,
    );
  return mismatch(error) ?? error;
}

/** What went wrong once it was, or may be, in the log. */
export function notAccepted(error: unknown): unknown {
  const options = { cause: error };
  if (error instanceof WitnessRequired)
    return new NotWitnessed('restriction_witness_required', 'This process has no witness.', options);
  if (error instanceof WitnessUnavailable)
    return new NotWitnessed(
      'witness_finalize_unconfirmed',
      'It is written, but the witness has not confirmed it.',
      options,
    );
  return mismatch(error) ?? error;
}

function mismatch(error: unknown): NotWitnessed | undefined {
  if (!(error instanceof WitnessMismatch)) return undefined;
  return error.step === 'prepare'
    ? new NotWitnessed(
        'witness_prepare_mismatch',
        'The witness holds a preparation with other content under this intent.',
        { cause: error },
      )
    : new NotWitnessed('witness_acceptance_mismatch', 'The witness contradicts what is in the log.', {
        cause: error,
      });
}
