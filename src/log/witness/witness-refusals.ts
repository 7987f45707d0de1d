import { NotWitnessed } from '../event-log.js';
import { WitnessMismatch, WitnessRequired, WitnessUnavailable } from './witness.js';

export const refusalOfPrepare = (error: unknown): unknown =>
  refusalOf(
    error,
    'restriction_witness_unavailable_or_incomplete',
    'The witness does not answer; nothing was written.',
  );

/** Maps a failure of the witness after the append: the log has the restriction already. */
export const refusalOfAccept = (error: unknown): unknown =>
  refusalOf(
    error,
    'witness_finalize_unconfirmed',
    'The restriction is written, but the witness has not confirmed it: repeat the request.',
  );

/** `code` and `message`: the refusal if the witness does not answer. */
function refusalOf(error: unknown, code: NotWitnessed['code'], message: string): unknown {
  const options = { cause: error };
  if (error instanceof WitnessRequired)
    return new NotWitnessed(
      'restriction_witness_required',
      'This server has no restriction witness configured.',
      options,
    );
  if (error instanceof WitnessUnavailable) return new NotWitnessed(code, message, options);
  return mismatch(error) ?? error;
}

function mismatch(error: unknown): NotWitnessed | undefined {
  if (!(error instanceof WitnessMismatch)) return undefined;
  return error.step === 'prepare'
    ? new NotWitnessed(
        'witness_prepare_mismatch',
        'The witness has this intent with other content: use a new intentId.',
        { cause: error },
      )
    : new NotWitnessed(
        'witness_acceptance_mismatch',
        'The witness has this restriction with other content, or at another position, than the log.',
        {
          cause: error,
        },
      );
}
