import { z } from 'zod';

/**
 * A published key: the next one, the signing one, or a retired one whose tokens may still be valid. `kid`: RFC 7638
 * thumbprint. Times in Unix milliseconds; `signsFrom` null: since the network began. `publishedUntil`: the end of
 * publication of a retired key.
 */
export const signingKeyShape = z.strictObject({
  kid: z.string(),
  state: z.enum(['next', 'signing', 'retired']),
  signsFrom: z.number().nullable(),
  publishedUntil: z.number().nullable(),
});

export type SigningKeyState = z.infer<typeof signingKeyShape>;

export interface NextKey {
  readonly keyId: string;
  readonly signsFrom: number;
}

/** The keys that sign ID tokens. `now`: Unix milliseconds. Rejects while the vault is unavailable. */
export abstract class SigningKeys {
  /** Returns the published key that does not sign yet; creates it if none exists. Concurrent calls return one key. */
  abstract next(now: number): Promise<NextKey>;

  abstract states(now: number): Promise<readonly SigningKeyState[]>;
}
