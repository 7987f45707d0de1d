import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/support/clock.js';
import type { IdGenerator } from '../../base/support/id-generator.js';
import type { NetworkSecrets } from '../../log/vault/network-secrets.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';

/** Time for the person to answer the browser's question. */
export const CHALLENGE_MS = 5 * 60_000;

const TIME_BYTES = 8;
const MAC_BYTES = 32;
/** No challenge of an earlier release has it, which stored open ones in this table. */
const USED = '';

const useChallenge = {
  name: 'operator-challenge.use',
  text: `INSERT INTO authority.operator_challenge (challenge, holder, expires_at) VALUES ($1, $2, $3)
    ON CONFLICT (challenge) DO NOTHING RETURNING challenge`,
};

interface ChallengeOptions {
  readonly store: AuthorityStore;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Shared by all processes, since another one may take the answer. */
  readonly secret: () => Promise<Buffer>;
}

/**
 * Challenges of WebAuthn: time of expiry, random bytes, and an HMAC over both and the browser. Anybody can ask for one,
 * so asking stores nothing; only a proven answer is stored, until the challenge expires, so that it counts once.
 */
export class PasskeyChallenges {
  constructor(private readonly options: ChallengeOptions) {}

  async issue(holder: string): Promise<Uint8Array<ArrayBuffer>> {
    const { clock, ids, secret } = this.options;
    const time = Buffer.alloc(TIME_BYTES);
    time.writeBigUInt64BE(BigInt(clock.now() + CHALLENGE_MS));
    const body = Buffer.concat([time, Buffer.from(ids.random(), 'base64url')]);
    return new Uint8Array(Buffer.concat([body, macOf(await secret(), body, holder)]));
  }

  /** Returns a check: true for a challenge that was issued to this browser and has not expired. */
  async checkFor(holder: string): Promise<(challenge: string) => boolean> {
    const key = await this.options.secret();
    return (challenge) => {
      const bytes = Buffer.from(challenge, 'base64url');
      if (bytes.length <= TIME_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge) return false;
      const [body, mac] = [bytes.subarray(0, -MAC_BYTES), bytes.subarray(-MAC_BYTES)];
      return timingSafeEqual(mac, macOf(key, body, holder)) && expiryOf(body) > this.options.clock.now();
    };
  }

  /** Spends an open challenge, on whichever process. False: it is spent already. */
  async use(challenge: string): Promise<boolean> {
    const values = [challenge, USED, expiryOf(Buffer.from(challenge, 'base64url'))];
    return (await this.options.store.rows(useChallenge, values)).length === 1;
  }
}

const macOf = (key: Buffer, body: Buffer, holder: string): Buffer =>
  createHmac('sha256', key).update(body).update(holder).digest();

/** Unix milliseconds. */
const expiryOf = (bytes: Buffer): number => Number(bytes.readBigUInt64BE());

/** Reads the secret from the vault with the first challenge: a start needs no passkey. */
export function passkeySecretIn(secrets: NetworkSecrets): () => Promise<Buffer> {
  let known: Buffer | undefined;
  return async () => (known ??= await secrets.get('passkey-challenges', () => randomBytes(32)));
}
