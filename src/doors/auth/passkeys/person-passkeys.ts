import { isIP } from 'node:net';
import type { Factors, Passkey } from '../../../domain/account/factors.js';
import { withUse } from '../../../domain/account/factors.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { lockCredential } from '../../../base/store/authority/credential-lock.js';
import { CredentialRow } from '../../../base/store/authority/credential.row.js';
import type { Clock } from '../../../base/support/clock.js';
import type { IdGenerator } from '../../../base/support/id-generator.js';
import type { NetworkSecrets } from '../../../log/vault/network-secrets.js';
import { parseAuthentication } from '../../../server/passkeys/answers.js';
import { Ceremonies } from '../../../server/passkeys/ceremonies.js';
import { PasskeyChallenges, passkeySecretIn } from '../../../server/passkeys/challenges.js';
import type { PasskeyOptions } from '../pages/parts.js';
import type { AuthSettings } from '../settings.js';
import type { SignInResult } from '../sign-in/sign-in.js';
import type { SignedInBrowser } from '../sign-in/sign-in-limits.js';
import { isIdentifier } from '../storage/identifier.js';

/** On a machine of its own, the console has the same host name: this begins what authenticators keep for people alone. */
const PERSON = 'person:';

const credentialOf = {
  name: 'person-passkeys',
  text: `SELECT state, password_hash, factors FROM authority.account JOIN authority.credential USING (actor_id)
    WHERE actor_id = $1 AND state <> 'erased'`,
};

interface Row {
  readonly state: 'active' | 'suspended';
  readonly password_hash: string;
  readonly factors: Factors;
}

/**
 * The passkeys of people. `holder`: the holder of the form that asks (csrf-protection.ts). Nothing here reads those of
 * operators, nor the console these.
 */
export class PersonPasskeys {
  private readonly ceremonies: Ceremonies;

  constructor(
    { baseUrl }: AuthSettings,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    ids: IdGenerator,
    secrets: NetworkSecrets,
  ) {
    const challenges = new PasskeyChallenges({ store, clock, ids, secret: passkeySecretIn(secrets) });
    this.ceremonies = new Ceremonies({ origin: baseUrl, rpName: 'Plaza', challenges });
  }

  /** False: the network has an IP address for a name, which browsers bind no passkey to. */
  get areUsable(): boolean {
    return isIP(this.ceremonies.rpID.replace(/^\[|\]$/g, '')) === 0;
  }

  /** To sign in, by any passkey of this network that the device has. */
  async signInOptions(holder: string): Promise<PasskeyOptions> {
    return this.areUsable ? this.ceremonies.requestOptions(toSignIn(holder)) : undefined;
  }

  /** @throws {HttpRefusal} `invalid_request`. Undefined: the passkey opens no account. */
  recognize(holder: string, answer: string): Promise<SignInResult | undefined> {
    return this.prove(toSignIn(holder), answer);
  }

  async confirmOptions(browser: SignedInBrowser, { passkeys }: Factors): Promise<PasskeyOptions> {
    if (!this.areUsable || passkeys.length === 0) return undefined;
    return this.ceremonies.requestOptions(toConfirm(browser), passkeys);
  }

  /** @throws {HttpRefusal} `invalid_request`. Undefined: the passkey is none of this person. */
  confirm(browser: SignedInBrowser, answer: string): Promise<SignInResult | undefined> {
    return this.prove(toConfirm(browser), answer, browser.actorId);
  }

  /** For a person who has just proven who they are: without the challenge in it, no passkey is added. */
  creationOptions(browser: SignedInBrowser, name: string, { passkeys: known }: Factors): Promise<object> {
    return this.ceremonies.creationOptions(toAdd(browser), {
      userId: `${PERSON}${browser.actorId}`,
      name,
      known,
    });
  }

  /** @throws {HttpRefusal} `invalid_request`. */
  async verifyCreation(browser: SignedInBrowser, answer: string, name: string): Promise<Passkey> {
    const made = await this.ceremonies.verifyCreation(toAdd(browser), answer);
    return { ...made, signCount: 0, name, addedAt: this.clock.now() };
  }

  private async prove(holder: string, answer: string, expected?: string): Promise<SignInResult | undefined> {
    const response = parseAuthentication(answer);
    const { userHandle } = response.response;
    // An authenticator may leave it out where it was told which passkeys are allowed.
    const actorId = userHandle ? personIn(userHandle) : expected;
    if (actorId === undefined || (expected !== undefined && actorId !== expected)) return undefined;
    const [row] = await this.store.rows<Row>(credentialOf, [actorId]);
    const passkey = row?.factors.passkeys.find(({ id }) => id === response.id);
    if (!row || !passkey) return undefined;
    const signCount = await this.ceremonies.verifyRequest(holder, response, passkey);
    const usedOn = new Date(this.clock.now()).toISOString().slice(0, 10);
    const { id: passkeyId } = passkey;
    if (!(await this.recordUse(actorId, { id: passkeyId, signCount, usedOn }))) return undefined;
    return { actorId, passwordHash: row.password_hash, mayAct: row.state === 'active', passkeyId };
  }

  /** False: the passkey was removed meanwhile. */
  private recordUse(actorId: string, use: Parameters<typeof withUse>[1]): Promise<boolean> {
    return this.store.transaction(async () => {
      await lockCredential(this.store, actorId);
      const credential = await this.store.db.findOneBy(CredentialRow, { actorId });
      const factors = credential && withUse(credential.factors, use);
      if (factors) await this.store.db.update(CredentialRow, { actorId }, { factors });
      return factors !== undefined;
    });
  }
}

/** No challenge of one purpose, or of the console, is one of another. */
const toSignIn = (holder: string): string => `sign-in ${holder}`;
const toConfirm = ({ actorId, uid }: SignedInBrowser): string => `confirm ${actorId} ${uid}`;
const toAdd = ({ actorId, uid }: SignedInBrowser): string => `add ${actorId} ${uid}`;

/** Undefined: it is that of nobody here, such as an operator. */
function personIn(userHandle: string): string | undefined {
  const text = Buffer.from(userHandle, 'base64url').toString();
  const actorId = text.slice(PERSON.length);
  return text.startsWith(PERSON) && isIdentifier(actorId) ? actorId : undefined;
}
