import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { VerifiedCredential } from '../../commands/operator/operator-passkeys.js';
import type { Clock } from '../../commands/support/clock.js';
import type { IdGenerator } from '../../commands/support/id-generator.js';
import { HttpRefusal } from '../../http/server/errors.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { base64url, parseAuthentication, parseRegistration } from './passkey-answers.js';

/** COSE algorithms EdDSA, ES256 and RS256. */
const supportedAlgorithmIDs = [-8, -7, -257];
/** Time for the person to answer the browser's question. */
const CHALLENGE_MS = 5 * 60_000;

const insertChallenge = {
  name: 'operator-challenge.insert',
  text: 'INSERT INTO authority.operator_challenge (challenge, holder, expires_at) VALUES ($1, $2, $3)',
};

/** Each challenge counts once, on whichever process. */
const takeChallenge = {
  name: 'operator-challenge.take',
  text: `DELETE FROM authority.operator_challenge WHERE challenge = $1 AND holder = $2 AND expires_at > $3
    RETURNING challenge`,
};

const passkeysOfOperator = {
  name: 'operator-passkey.of-operator',
  text: `SELECT credential_id, transports FROM authority.operator_passkey
    WHERE operator_id = $1 AND removed_at IS NULL AND registered_at IS NOT NULL`,
};

const passkeyByCredential = {
  name: 'operator-passkey.by-credential',
  text: `SELECT passkey_id, operator_id, public_key, coalesce(sign_count, 0)::text AS sign_count
    FROM authority.operator_passkey LEFT JOIN authority.operator_passkey_use USING (passkey_id)
    WHERE credential_id = $1 AND removed_at IS NULL ORDER BY registered_at, passkey_id LIMIT 1`,
};

const usePasskey = {
  name: 'operator-passkey.use',
  text: `INSERT INTO authority.operator_passkey_use (passkey_id, last_used_on, sign_count) VALUES ($1, $2::date, $3)
    ON CONFLICT (passkey_id) DO UPDATE SET last_used_on = EXCLUDED.last_used_on, sign_count = EXCLUDED.sign_count`,
};

interface PasskeyRow {
  readonly passkey_id: string;
  readonly operator_id: string;
  readonly public_key: string;
  readonly sign_count: string;
}

export interface ProvenPasskey {
  readonly operatorId: string;
  readonly passkeyId: string;
}

interface PasskeyOptions {
  /** Origin of the console. Passkeys are bound to its host name. */
  readonly origin: string;
  readonly store: AuthorityStore;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/**
 * The WebAuthn ceremonies of operators. `holder`: hash of a secret of the browser, so that only the browser that was
 * given a challenge can answer it.
 */
export class Passkeys {
  private readonly rpID: string;

  constructor(private readonly options: PasskeyOptions) {
    this.rpID = new URL(options.origin).hostname;
  }

  /** Options of `navigator.credentials.create()`, as JSON. */
  async creationOptions(holder: string, { operatorId, name }: { operatorId: string; name: string }) {
    const known = await this.options.store.rows<{ credential_id: string; transports: string[] }>(
      passkeysOfOperator,
      [operatorId],
    );
    return generateRegistrationOptions({
      rpName: 'Plaza operators',
      rpID: this.rpID,
      userName: name,
      userDisplayName: name,
      userID: new TextEncoder().encode(operatorId),
      challenge: await this.newChallenge(holder),
      timeout: CHALLENGE_MS,
      excludeCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
      supportedAlgorithmIDs,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /** Options of `navigator.credentials.get()`, as JSON. */
  async requestOptions(holder: string) {
    return generateAuthenticationOptions({
      rpID: this.rpID,
      challenge: await this.newChallenge(holder),
      timeout: CHALLENGE_MS,
      userVerification: 'required',
    });
  }

  /** @throws {HttpRefusal} `invalid_request`; errors of the store. */
  async verifyCreation(holder: string, answer: string, label: string): Promise<VerifiedCredential> {
    const response: RegistrationResponseJSON = parseRegistration(answer);
    const { registrationInfo } = await this.verified(holder, (expectedChallenge) =>
      verifyRegistrationResponse({
        response,
        supportedAlgorithmIDs,
        expectedChallenge,
        expectedOrigin: this.options.origin,
        expectedRPID: this.rpID,
      }),
    );
    if (!registrationInfo) throw notVerified();
    const { id: credentialId, publicKey } = registrationInfo.credential;
    return {
      credentialId,
      publicKey: base64url(publicKey),
      transports: response.response.transports ?? [],
      label,
    };
  }

  /** @throws {HttpRefusal} `invalid_token`: no such passkey signs; `invalid_request`; errors of the store. */
  async verifyRequest(holder: string, answer: string): Promise<ProvenPasskey> {
    const { store, clock, origin } = this.options;
    const response: AuthenticationResponseJSON = parseAuthentication(answer);
    const [row] = await store.rows<PasskeyRow>(passkeyByCredential, [response.id]);
    if (!row)
      throw new HttpRefusal('invalid_token', 'This passkey is unknown or removed. Sign in with another one.');
    const { verified, authenticationInfo } = await this.verified(holder, (expectedChallenge) =>
      verifyAuthenticationResponse({
        response,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: this.rpID,
        credential: {
          id: response.id,
          publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
          counter: Number(row.sign_count),
        },
      }),
    );
    if (!verified) throw notVerified();
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    await store.rows(usePasskey, [row.passkey_id, today, authenticationInfo.newCounter]);
    return { operatorId: row.operator_id, passkeyId: row.passkey_id };
  }

  private async newChallenge(holder: string): Promise<Uint8Array<ArrayBuffer>> {
    const { store, clock, ids } = this.options;
    const challenge = new Uint8Array(Buffer.from(ids.random() + ids.random(), 'base64url'));
    await store.rows(insertChallenge, [base64url(challenge), holder, clock.now() + CHALLENGE_MS]);
    return challenge;
  }

  /** The library throws errors of any class for a wrong answer of the browser. Those of the store stay as they are. */
  private async verified<Result>(
    holder: string,
    verify: (expectedChallenge: (challenge: string) => Promise<boolean>) => Promise<Result>,
  ): Promise<Result> {
    const { store, clock } = this.options;
    let fault: { readonly error: unknown } | undefined;
    try {
      return await verify(async (challenge) => {
        try {
          return (await store.rows(takeChallenge, [challenge, holder, clock.now()])).length === 1;
        } catch (error) {
          fault = { error };
          return false;
        }
      });
    } catch (cause) {
      throw fault ? fault.error : notVerified(cause);
    }
  }
}

const notVerified = (cause?: unknown): HttpRefusal =>
  new HttpRefusal(
    'invalid_request',
    'The passkey could not be verified: the page was open for too long, or was used already. Load it again.',
    { cause },
  );
