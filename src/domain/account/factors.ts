import { normalizedName } from '../name.js';
import { Refusal } from '../refusal.js';

/** `id`, `publicKey`: of the credential, base64url. `signCount`: as the authenticator last told it. */
export interface Passkey {
  readonly id: string;
  readonly publicKey: string;
  readonly transports: readonly string[];
  readonly signCount: number;
  readonly name: string;
  /** Unix milliseconds. */
  readonly addedAt: number;
  /** The day, as `2026-11-29`; absent: it has not been used. */
  readonly usedOn?: string;
}

/**
 * By which a person signs in besides the password. `codes`: digests of the unused recovery codes; absent: no second step.
 * `requiredAt`: when that was turned on, in Unix milliseconds; absent: long ago.
 */
export interface Factors {
  readonly passkeys: readonly Passkey[];
  readonly codes?: readonly string[];
  readonly requiredAt?: number;
}

export const noFactors: Factors = { passkeys: [] };

/** A name of a change is that of its event, after `account.`. */
export type FactorsChange =
  | { readonly kind: 'passkey_added'; readonly passkey: Passkey }
  | { readonly kind: 'passkey_removed'; readonly id: string }
  /** Also for new codes. */
  | { readonly kind: 'second_step_required'; readonly codes: readonly string[] }
  | { readonly kind: 'second_step_lifted' }
  | { readonly kind: 'recovery_code_used'; readonly code: string };

export const MAX_PASSKEYS = 10;
export const RECOVERY_CODES = 10;
/** More than a key of RSA with 4096 bits has. */
const PUBLIC_KEY_MAX = 1_000;

/** @param at Unix milliseconds. */
export function changeFactors(factors: Factors, change: FactorsChange, at: number): Factors | Refusal {
  const { passkeys, codes } = factors;
  switch (change.kind) {
    case 'passkey_added':
      return addPasskey(factors, change.passkey);
    case 'passkey_removed': {
      const others = passkeys.filter(({ id }) => id !== change.id);
      if (others.length === passkeys.length) return new Refusal('not_found', 'There is no such passkey.');
      if (codes && others.length === 0)
        return new Refusal('intent_conflict', 'This is your last passkey: turn the second step off first.');
      return { ...factors, passkeys: others };
    }
    case 'second_step_required':
      return passkeys.length === 0
        ? new Refusal('intent_conflict', 'The second step needs a passkey: add one first.')
        : { ...(codes ? factors : { passkeys, requiredAt: at }), codes: change.codes };
    case 'second_step_lifted':
      return codes ? { passkeys } : new Refusal('not_found', 'The second step is off already.');
    case 'recovery_code_used':
      return codes?.includes(change.code)
        ? { ...factors, codes: codes.filter((code) => code !== change.code) }
        : new Refusal('not_found', 'That is none of your recovery codes, or it was used.');
  }
}

const NEW_MS = 7 * 24 * 60 * 60_000;

/**
 * True if a link that sets a new password must be followed by the second step. One of the last seven days is not asked for:
 * who knew the old password could have turned it on, and would lock its person out for good.
 */
export const needsStepAfterRecovery = ({ codes, requiredAt = 0 }: Factors, now: number): boolean =>
  codes !== undefined && requiredAt + NEW_MS <= now;

function addPasskey(factors: Factors, passkey: Passkey): Factors | Refusal {
  const { passkeys } = factors;
  const name = normalizedName(passkey.name, "The passkey's name");
  if (name instanceof Refusal) return name;
  if (passkeys.length >= MAX_PASSKEYS)
    return new Refusal('intent_conflict', `You have ${MAX_PASSKEYS} passkeys: remove one first.`);
  if (passkeys.some(({ id }) => id === passkey.id))
    return new Refusal('intent_conflict', 'This passkey is added already.');
  if (passkey.publicKey.length > PUBLIC_KEY_MAX)
    return new Refusal('invalid_text', 'The key of this passkey is too large: use another device.');
  return { ...factors, passkeys: [...passkeys, { ...passkey, name }] };
}

/** The factors after a proof by one of the passkeys; undefined: the passkey is not among them. */
export function withUse(
  factors: Factors,
  { id, ...use }: Required<Pick<Passkey, 'id' | 'signCount' | 'usedOn'>>,
): Factors | undefined {
  if (!factors.passkeys.some((each) => each.id === id)) return undefined;
  const passkeys = factors.passkeys.map((each) => (each.id === id ? { ...each, ...use } : each));
  return { ...factors, passkeys };
}
