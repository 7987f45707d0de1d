import { createHash, generateKeyPair } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';

/** The publication and use of signing keys (docs/adr/0006). `now` and all times are Unix milliseconds. */

/**
 * Milliseconds between the publication of a new key and its first signature. Servers need less to apply the key.
 * Clients may cache the key set, even against an unknown key: oauth4webapi and openid-client for 60 seconds.
 */
export const PUBLISHED_BEFORE_USE_MS = 90_000;
const ID_TOKEN_MS = 5 * 60_000;
/**
 * Extra time that a retired key stays published: more than the delay of any server in changing keys plus the clock
 * difference.
 */
const MARGIN_MS = 2 * 60_000;

/** A private signing key. `signsFrom`: Unix milliseconds of its first use; 0 for the first key of the network. */
export interface SigningKey {
  readonly jwk: PrivateJwk;
  readonly signsFrom: number;
}

/** All stored keys in the order of their use; never empty. */
export type KeyRing = readonly SigningKey[];

export interface KeySet {
  readonly keys: JsonWebKey[];
}

const privateJwk = z.looseObject({ kty: z.literal('RSA'), n: z.string(), e: z.string() });

type PrivateJwk = z.infer<typeof privateJwk> & { readonly kid: string };

/**
 * The signing keys as the vault stores them. The first release stored a single key, without `kid` and without
 * `signsFrom`.
 */
const storedRing = z.object({
  keys: z.array(privateJwk).min(1),
  signsFrom: z.record(z.string(), z.number()).default({}),
});

/** Reads the keys that the vault stores. @throws {Error} the content is invalid; the message reveals none of it. */
export function readRing(stored: Buffer): KeyRing {
  const { success, data } = storedRing.safeParse(parsed(stored));
  if (!success)
    throw new Error('the signing keys in the vault are invalid; expected a JSON object with RSA keys');
  return data.keys
    .map((key) => {
      const jwk = { ...key, kid: thumbprint(key) };
      return { jwk, signsFrom: data.signsFrom[jwk.kid] ?? 0 };
    })
    .toSorted((a, b) => a.signsFrom - b.signsFrom);
}

/** Parses JSON; undefined if it is invalid. The message of `JSON.parse` would quote the text. */
function parsed(stored: Buffer): unknown {
  try {
    return JSON.parse(stored.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Writes the keys for the vault. The first release can read the result, too: it signs with the first key. */
export function writeRing(ring: KeyRing): Buffer {
  const signsFrom = Object.fromEntries(ring.map(({ jwk, signsFrom }) => [jwk.kid, signsFrom]));
  return Buffer.from(JSON.stringify({ keys: ring.map(({ jwk }) => jwk), signsFrom }));
}

/** Creates a key for RS256, the default that clients expect (OpenID Connect Core 1.0, section 15.1). */
export async function makeSigningKey(signsFrom: number): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const jwk = privateJwk.parse({ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' });
  return { jwk: { ...jwk, kid: thumbprint(jwk) }, signsFrom };
}

/** Returns the thumbprint of a key (RFC 7638), which is its `kid`. */
function thumbprint({ e, kty, n }: z.infer<typeof privateJwk>): string {
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url');
}

/** State of a signing key. `until`: end of the publication of a retired key, after its last token has expired. */
export type KeyPhase =
  | { readonly state: 'next' | 'signing' }
  | { readonly state: 'retired'; readonly until: number };

export function keyPhases(ring: KeyRing, now: number): readonly (SigningKey & KeyPhase)[] {
  // A slow clock must not leave the network without a signing key.
  const signing = Math.max(
    0,
    ring.findLastIndex(({ signsFrom }) => signsFrom <= now),
  );
  return ring.flatMap((key, index): (SigningKey & KeyPhase)[] => {
    if (index >= signing) return [{ ...key, state: index === signing ? 'signing' : 'next' }];
    const until = (ring[index + 1]?.signsFrom ?? 0) + ID_TOKEN_MS + MARGIN_MS;
    return until > now ? [{ ...key, state: 'retired', until }] : [];
  });
}

/**
 * Returns the private keys for the library, which publishes their public parts. The signing key is the first: the
 * library signs with the first suitable one (`KeyStore.selectForSign`).
 */
export function keySetForProvider(ring: KeyRing, now: number): KeySet {
  const phases = keyPhases(ring, now);
  const first = phases.filter(({ state }) => state === 'signing');
  const others = phases.filter(({ state }) => state !== 'signing');
  return { keys: [...first, ...others].map(({ jwk }) => jwk) };
}
