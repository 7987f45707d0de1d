import type { FourEyesEvent } from '../../../domain/four-eyes/events.js';
import { evolveFourEyes, noFourEyes } from '../../../domain/four-eyes/four-eyes.js';
import type { FourEyes } from '../../../domain/four-eyes/four-eyes.js';
import { evolveOperator, noOperator } from '../../../domain/operator/operator.js';
import type { OperatorEvent } from '../../../domain/operator/operator.js';
import { HttpRefusal } from '../../../server/errors.js';
import type { EventLog } from '../../../log/event-log.js';
import type { RestrictionEvent } from '../../../log/restrictions.js';
import { streams } from '../../../log/streams.js';
import { WitnessRequired, WitnessUnavailable } from '../../../log/witness/witness.js';
import type { Witness, WitnessedRestriction } from '../../../log/witness/witness.js';

interface Sources {
  readonly log: EventLog;
  readonly witness: Witness;
}

/** `id`: of a token or passkey. Undefined: of no matter, because the operator does not send the request. */
interface Credential {
  readonly operatorId: string;
  readonly id?: string;
}

/**
 * Until a restored network is checked, its authority store proves nothing: it derives from a log that may lack the end
 * of this operator. Admits only if neither the log nor the witness's ledger holds one.
 * @throws {HttpRefusal} an end exists, or the ledger does not answer; {@link LogUnavailable}
 */
export async function requireNotEnded(
  { log, witness }: Sources,
  { operatorId, id: credentialId }: Credential,
): Promise<void> {
  const stream = streams.operator(operatorId);
  const [recorded, witnessed] = await Promise.all([log.read(stream), ledgerOf(witness, stream)]);
  const operator = recorded.reduce(
    (older, { event }) => evolveOperator(older, event as OperatorEvent),
    noOperator,
  );
  const isLive =
    credentialId === undefined ||
    ([...operator.tokens, ...operator.passkeys].includes(credentialId) &&
      ![...operator.revokedTokens, ...operator.removedPasskeys].includes(credentialId));
  const logged = new Set(recorded.map(({ id }) => id));
  const isEnded = witnessed.some(
    ({ restriction: { id, event } }) => !logged.has(id) && ends(event, credentialId),
  );
  if (operator.status === 'active' && isLive && !isEnded) return;
  throw new HttpRefusal(
    'invalid_token',
    'A restored network is being checked, and its log or the ledger of its witness holds an end of this operator, token or passkey. Use the shared token, and run plaza recovery apply.',
  );
}

/** True if the ledger has the limit of the shared token, which a restored log may lack. */
export async function isLimitWitnessed(witness: Witness): Promise<boolean> {
  try {
    return (await witness.ofOperators(streams.network())).length > 0;
  } catch (error) {
    // Without the ledger, the shared token is all that is left, as the authority store knows it.
    if (error instanceof WitnessUnavailable || error instanceof WitnessRequired) return false;
    throw error;
  }
}

/** Four-eyes as the ledger has it, which a restored log may lack; undefined: the ledger has nothing of it. */
export async function witnessedFourEyes(witness: Witness): Promise<FourEyes | undefined> {
  try {
    const events = (await witness.ofOperators(streams.fourEyes()))
      // Until the log has it, nobody has lifted anything.
      .filter(
        ({ state, restriction: { event } }) =>
          event.type === 'operator.four_eyes_required' || state !== 'prepared',
      )
      .map(({ restriction: { event } }) => event as FourEyesEvent);
    return events.length === 0 ? undefined : events.reduce(evolveFourEyes, noFourEyes);
  } catch (error) {
    // As of the limit of the shared token.
    if (error instanceof WitnessUnavailable || error instanceof WitnessRequired) return undefined;
    throw error;
  }
}

/** A role change, too: the roles that the log has are no longer those of the operator. */
function ends(event: RestrictionEvent, credentialId: string | undefined): boolean {
  if (event.type === 'operator.token_revoked') return event.data.tokenId === credentialId;
  if (event.type === 'operator.passkey_removed') return event.data.passkeyId === credentialId;
  return event.type === 'operator.suspended' || event.type === 'operator.roles_changed';
}

async function ledgerOf(witness: Witness, stream: string): Promise<readonly WitnessedRestriction[]> {
  try {
    return await witness.ofOperators(stream);
  } catch (cause) {
    if (!(cause instanceof WitnessUnavailable) && !(cause instanceof WitnessRequired)) throw cause;
    throw new HttpRefusal(
      'restriction_witness_unavailable_or_incomplete',
      'The network is being checked, and the ledger of its witness does not answer: only the shared token is admitted until then.',
      { cause },
    );
  }
}
