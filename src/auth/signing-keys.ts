import { createHash, generateKeyPair } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';

/** The publication and use of signing keys (docs/adr/0006). `now` and all times are Unix milliseconds. */

/**
 * Milliseconds from a key's publication to its first signature. Servers need less to apply the key. Clients may cache
 * the key set, even against an unknown key: oauth4webapi and openid-client for 60 seconds.
 */
export const PUBLISHED_BEFORE_USE_MS = 90_000;
const ID_TOKEN_MS = 5 * 60_000;
/** Upper bound of a server's delay in changing keys plus the clock difference. */
const MARGIN_MS = 2 * 60_000;

/** `signsFrom` is 0 for the network's first key. */
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

/** The first release stored a single key without `kid`. */
const storedRing = z.object({
  keys: z.array(privateJwk).min(1),
  signsFrom: z.record(z.string(), z.number()).default({}),
});

/** @throws {Error} the content is invalid; the message reveals none of it. */
export function readRing(stored: Buffer): KeyRing {
  const { success, data } = storedRing.safeParse(parsed(stored));
  if (!success) throw new Error('the signing keys in the vault are invalid');
  return data.keys
    .map((key) => {
      const jwk = { ...key, kid: thumbprint(key) };
      return { jwk, signsFrom: data.signsFrom[jwk.kid] ?? 0 };
    })
    .toSorted((a, b) => a.signsFrom - b.signsFrom);
}

/** Hides the message of `JSON.parse`, which quotes the text. */
function parsed(stored: Buffer): unknown {
  try {
    return JSON.parse(stored.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The first release can read the result, too: it signs with the first key. */
export function writeRing(ring: KeyRing): Buffer {
  const signsFrom = Object.fromEntries(ring.map(({ jwk, signsFrom }) => [jwk.kid, signsFrom]));
  return Buffer.from(JSON.stringify({ keys: ring.map(({ jwk }) => jwk), signsFrom }));
}

/** RS256 is the default that clients expect (OpenID Connect Core 1.0, section 15.1). */
export async function makeSigningKey(signsFrom: number): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const jwk = privateJwk.parse({ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' });
  return { jwk: { ...jwk, kid: thumbprint(jwk) }, signsFrom };
}

/** RFC 7638. */
function thumbprint({ e, kty, n }: z.infer<typeof privateJwk>): string {
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url');
}

/** `until` is the expiry of a retired key's last token: then its publication ends. */
export type KeyPhase =
  { readonly state: 'next' | 'signing' } | { readonly state: 'retired'; readonly until: number };

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
 * Returns the keys to publish at `now`. First the signing key: the library signs with the first suitable one
 * (`KeyStore.selectForSign`).
 */
export function publicKeySet(ring: KeyRing, now: number): KeySet {
  const phases = keyPhases(ring, now);
  const first = phases.filter(({ state }) => state === 'signing');
  const others = phases.filter(({ state }) => state !== 'signing');
  return { keys: [...first, ...others].map(({ jwk }) => jwk) };
}
