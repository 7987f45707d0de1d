import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { VerifiedCredential } from '../../../commands/operator/operator-passkeys.js';
import type { Clock } from '../../../base/support/clock.js';
import { HttpRefusal } from '../../../server/errors.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { CHALLENGE_MS } from './passkey-challenges.js';
import type { PasskeyChallenges } from './passkey-challenges.js';
import { base64url, parseAuthentication, parseRegistration } from './passkey-answers.js';

/** Loaded for the first page that asks for a passkey. It would make every start slower. */
const webAuthn = () => import('@simplewebauthn/server');

/** COSE algorithms EdDSA, ES256 and RS256. */
const supportedAlgorithmIDs = [-8, -7, -257];

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
  readonly challenges: PasskeyChallenges;
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
    const { generateRegistrationOptions } = await webAuthn();
    return generateRegistrationOptions({
      rpName: 'Plaza operators',
      rpID: this.rpID,
      userName: name,
      userDisplayName: name,
      userID: new TextEncoder().encode(operatorId),
      challenge: await this.options.challenges.issue(holder),
      timeout: CHALLENGE_MS,
      excludeCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
      supportedAlgorithmIDs,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /** Options of `navigator.credentials.get()`, as JSON. */
  async requestOptions(holder: string) {
    const { generateAuthenticationOptions } = await webAuthn();
    return generateAuthenticationOptions({
      rpID: this.rpID,
      challenge: await this.options.challenges.issue(holder),
      timeout: CHALLENGE_MS,
      userVerification: 'required',
    });
  }

  /** @throws {HttpRefusal} `invalid_request`; errors of the store. */
  async verifyCreation(holder: string, answer: string, label: string): Promise<VerifiedCredential> {
    const response: RegistrationResponseJSON = parseRegistration(answer);
    const { verifyRegistrationResponse } = await webAuthn();
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
    const { verifyAuthenticationResponse } = await webAuthn();
    const { authenticationInfo } = await this.verified(holder, (expectedChallenge) =>
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
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    await store.rows(usePasskey, [row.passkey_id, today, authenticationInfo.newCounter]);
    return { operatorId: row.operator_id, passkeyId: row.passkey_id };
  }

  /** The library throws errors of any class for a wrong answer of the browser. */
  private async verified<Result extends { readonly verified: boolean }>(
    holder: string,
    verify: (expectedChallenge: (challenge: string) => boolean) => Promise<Result>,
  ): Promise<Result> {
    const { challenges } = this.options;
    const isOpen = await challenges.checkFor(holder);
    let answered = '';
    const result = await verify((challenge) => isOpen((answered = challenge))).catch((cause: unknown) => {
      throw notVerified(cause);
    });
    if (!result.verified || !(await challenges.use(answered))) throw notVerified();
    return result;
  }
}

const notVerified = (cause?: unknown): HttpRefusal =>
  new HttpRefusal(
    'invalid_request',
    'The passkey could not be verified: the page was open for too long, or was used already. Load it again.',
    { cause },
  );
