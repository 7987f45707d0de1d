import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { HttpRefusal } from '../errors.js';
import { base64url, parseRegistration } from './answers.js';
import { CHALLENGE_MS } from './challenges.js';
import type { PasskeyChallenges } from './challenges.js';

/** Loaded for the first page that asks for a passkey. It would make every start slower. */
const webAuthn = () => import('@simplewebauthn/server');

/** COSE algorithms EdDSA, ES256 and RS256. */
const supportedAlgorithmIDs = [-8, -7, -257];

export interface KnownCredential {
  readonly id: string;
  readonly transports: readonly string[];
}

/** `publicKey`: COSE, base64url. */
export interface NewCredential extends KnownCredential {
  readonly publicKey: string;
}

/** `userId`: what the authenticator returns with each answer. A second passkey of the same one replaces the first there. */
interface Registrant {
  readonly userId: string;
  readonly name: string;
  readonly known: readonly KnownCredential[];
}

interface CeremonyOptions {
  /** Origin of the pages. Passkeys are bound to its host name. */
  readonly origin: string;
  readonly rpName: string;
  readonly challenges: PasskeyChallenges;
}

/**
 * The ceremonies of WebAuthn at one origin. `holder`: names the browser and what it asks for, so that only the browser that
 * was given a challenge can answer it.
 */
export class Ceremonies {
  readonly rpID: string;

  constructor(private readonly options: CeremonyOptions) {
    this.rpID = new URL(options.origin).hostname;
  }

  /** Options of `navigator.credentials.create()`, as JSON. */
  async creationOptions(holder: string, { userId, name, known }: Registrant) {
    const { generateRegistrationOptions } = await webAuthn();
    return generateRegistrationOptions({
      rpName: this.options.rpName,
      rpID: this.rpID,
      userName: name,
      userDisplayName: name,
      userID: new TextEncoder().encode(userId),
      challenge: await this.options.challenges.issue(holder),
      timeout: CHALLENGE_MS,
      excludeCredentials: known.map(withTransports),
      supportedAlgorithmIDs,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /** Options of `navigator.credentials.get()`, as JSON. `allowed`: empty for any passkey that the device has. */
  async requestOptions(holder: string, allowed: readonly KnownCredential[] = []) {
    const { generateAuthenticationOptions } = await webAuthn();
    return generateAuthenticationOptions({
      rpID: this.rpID,
      challenge: await this.options.challenges.issue(holder),
      timeout: CHALLENGE_MS,
      allowCredentials: allowed.map(withTransports),
      userVerification: 'required',
    });
  }

  /** @throws {HttpRefusal} `invalid_request`; errors of the store. */
  async verifyCreation(holder: string, answer: string): Promise<NewCredential> {
    const response = parseRegistration(answer);
    const { verifyRegistrationResponse } = await webAuthn();
    const { registrationInfo } = await this.verified(holder, async (expectedChallenge) => {
      await refuseCertificates(response.response.attestationObject);
      return verifyRegistrationResponse({
        response,
        supportedAlgorithmIDs,
        expectedChallenge,
        expectedOrigin: this.options.origin,
        expectedRPID: this.rpID,
      });
    });
    if (!registrationInfo) throw notVerified();
    const { id, publicKey } = registrationInfo.credential;
    return { id, publicKey: base64url(publicKey), transports: response.response.transports ?? [] };
  }

  /** Returns the new count of signatures. @throws {HttpRefusal} `invalid_request`; errors of the store. */
  async verifyRequest(
    holder: string,
    response: AuthenticationResponseJSON,
    { publicKey, signCount }: { readonly publicKey: string; readonly signCount: number },
  ): Promise<number> {
    const { verifyAuthenticationResponse } = await webAuthn();
    const { authenticationInfo } = await this.verified(holder, (expectedChallenge) =>
      verifyAuthenticationResponse({
        response,
        expectedChallenge,
        expectedOrigin: this.options.origin,
        expectedRPID: this.rpID,
        credential: {
          id: response.id,
          publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
          counter: signCount,
        },
      }),
    );
    return authenticationInfo.newCounter;
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

/**
 * The options ask for no attestation. To verify certificates, the library would fetch addresses that they name, and anybody
 * may send some.
 * @throws {Error} the attestation has certificates, or cannot be read.
 */
export async function refuseCertificates(attestation: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestation, 'base64url')));
  const isPlain = ['none', 'packed'].includes(decoded.get('fmt')) && !decoded.get('attStmt').get('x5c');
  if (!isPlain) throw new Error('the passkey has an attestation');
}

const withTransports = ({ id, transports }: KnownCredential) => ({ id, transports: [...transports] });

const notVerified = (cause?: unknown): HttpRefusal =>
  new HttpRefusal(
    'invalid_request',
    'The passkey could not be verified: the page was open for too long, or was used already. Load it again.',
    { cause },
  );
