/** A key that is published: what signs ID tokens, what is about to, and what signed tokens that are still good. */
export interface SigningKeyState {
  /** RFC 7638 thumbprint, as in the header of the tokens. */
  readonly kid: string;
  readonly state: 'next' | 'signing' | 'retired';
  /** When it began or begins to sign: Unix milliseconds. Null: with the network. */
  readonly signsFrom: number | null;
  /** Of a retired one, when it leaves the published set: Unix milliseconds. */
  readonly publishedUntil: number | null;
}

export interface NextKey {
  readonly keyId: string;
  /** Unix milliseconds. */
  readonly signsFrom: number;
}

/** The keys that sign ID tokens, where they are kept. `now`: Unix milliseconds. Rejects if the vault is away. */
export abstract class SigningKeys {
  /** The key that is published and does not sign yet; made if there is none. However many ask at once, it is one. */
  abstract next(now: number): Promise<NextKey>;

  /** Every key that is published, in the order in which they sign. */
  abstract states(now: number): Promise<readonly SigningKeyState[]>;
}
