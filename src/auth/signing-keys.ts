import { createHash, generateKeyPair } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';

/** When keys are published and when they sign (docs/adr/0006). All pure: `now` and times are Unix milliseconds, UTC. */

/**
 * From a key's publication to its first signature. Longer than servers take to see it, and than readers of the key set
 * keep a copy without asking again for a key they do not know: oauth4webapi and openid-client, 60 seconds.
 */
export const LEAD_MS = 90_000;
/** Of an ID token (see policy.ts). */
const ID_TOKEN_MS = 5 * 60_000;
/** By how much a server may be late to change keys, and clocks may differ. */
const MARGIN_MS = 2 * 60_000;

/** A private key, and when it begins to sign. 0: with the network. */
export interface SigningKey {
  readonly jwk: PrivateJwk;
  readonly signsFrom: number;
}

/** Every key that is kept, in the order in which they sign. Never empty. */
export type KeyRing = readonly SigningKey[];

/** Private members included: what the library is given, first the one that signs. */
export interface KeySet {
  readonly keys: JsonWebKey[];
}

const privateJwk = z.looseObject({ kty: z.literal('RSA'), n: z.string(), e: z.string() });

type PrivateJwk = z.infer<typeof privateJwk> & { readonly kid: string };

/** In the first release there were only keys, without `kid`, and one of them. */
const storedRing = z.object({
  keys: z.array(privateJwk).min(1),
  signsFrom: z.record(z.string(), z.number()).default({}),
});

/** A ring as the vault has it. Throws if it is none, without a word of its content. */
export function readRing(stored: Buffer): KeyRing {
  const { success, data } = storedRing.safeParse(parsed(stored));
  if (!success) throw new Error('the signing keys in the vault are not understood');
  return data.keys
    .map((key) => {
      const jwk = { ...key, kid: thumbprint(key) };
      return { jwk, signsFrom: data.signsFrom[jwk.kid] ?? 0 };
    })
    .toSorted((a, b) => a.signsFrom - b.signsFrom);
}

/** What `JSON.parse` says of a fault has some of the text in it. */
function parsed(stored: Buffer): unknown {
  try {
    return JSON.parse(stored.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** As {@link readRing} reads it, and as the first release does: its servers sign with the first key. */
export function writeRing(ring: KeyRing): Buffer {
  const signsFrom = Object.fromEntries(ring.map(({ jwk, signsFrom }) => [jwk.kid, signsFrom]));
  return Buffer.from(JSON.stringify({ keys: ring.map(({ jwk }) => jwk), signsFrom }));
}

/** RS256 is what a client may expect that was told nothing (OpenID Connect Core 1.0, section 15.1). */
export async function makeSigningKey(signsFrom: number): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const jwk = privateJwk.parse({ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' });
  return { jwk: { ...jwk, kid: thumbprint(jwk) }, signsFrom };
}

/** RFC 7638: the required members of an RSA key, in alphabetical order. */
function thumbprint({ e, kty, n }: z.infer<typeof privateJwk>): string {
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url');
}

/** Where a key of a ring stands. `until`: when a retired one may go, since the last token that it signed has expired. */
export type KeyPhase =
  { readonly state: 'next' | 'signing' } | { readonly state: 'retired'; readonly until: number };

/** Of each key that is to be published, in the order of the ring. */
export function keyPhases(ring: KeyRing, now: number): readonly (SigningKey & KeyPhase)[] {
  // A clock that is behind the first key's time must not leave the network without one.
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

/** What is published at this moment. The library signs with the first key that can (`KeyStore.selectForSign`). */
export function keySet(ring: KeyRing, now: number): KeySet {
  const standing = keyPhases(ring, now);
  const first = standing.filter(({ state }) => state === 'signing');
  const others = standing.filter(({ state }) => state !== 'signing');
  return { keys: [...first, ...others].map(({ jwk }) => jwk) };
}
