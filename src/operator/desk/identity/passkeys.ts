import type { VerifiedCredential } from '../../../commands/operator/operator-passkeys.js';
import type { Clock } from '../../../base/support/clock.js';
import { HttpRefusal } from '../../../server/errors.js';
import { parseAuthentication } from '../../../server/passkeys/answers.js';
import { Ceremonies } from '../../../server/passkeys/ceremonies.js';
import type { KnownCredential } from '../../../server/passkeys/ceremonies.js';
import type { PasskeyChallenges } from '../../../server/passkeys/challenges.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';

const passkeysOfOperator = {
  name: 'operator-passkey.of-operator',
  text: `SELECT credential_id AS id, transports FROM authority.operator_passkey
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

/** The passkeys of operators. `holder`: hash of a secret of the browser. */
export class Passkeys {
  private readonly ceremonies: Ceremonies;

  constructor(private readonly options: PasskeyOptions) {
    this.ceremonies = new Ceremonies({ ...options, rpName: 'Plaza operators' });
  }

  /** Options of `navigator.credentials.create()`, as JSON. */
  async creationOptions(holder: string, { operatorId, name }: { operatorId: string; name: string }) {
    const known = await this.options.store.rows<KnownCredential>(passkeysOfOperator, [operatorId]);
    return this.ceremonies.creationOptions(holder, { userId: operatorId, name, known });
  }

  /** Options of `navigator.credentials.get()`, as JSON. */
  requestOptions(holder: string) {
    return this.ceremonies.requestOptions(holder);
  }

  /** @throws {HttpRefusal} `invalid_request`; errors of the store. */
  async verifyCreation(holder: string, answer: string, label: string): Promise<VerifiedCredential> {
    const { id: credentialId, ...made } = await this.ceremonies.verifyCreation(holder, answer);
    return { credentialId, ...made, label };
  }

  /** @throws {HttpRefusal} `invalid_token`: no such passkey signs; `invalid_request`; errors of the store. */
  async verifyRequest(holder: string, answer: string): Promise<ProvenPasskey> {
    const { store, clock } = this.options;
    const response = parseAuthentication(answer);
    const [row] = await store.rows<PasskeyRow>(passkeyByCredential, [response.id]);
    if (!row)
      throw new HttpRefusal('invalid_token', 'This passkey is unknown or removed. Sign in with another one.');
    const known = { publicKey: row.public_key, signCount: Number(row.sign_count) };
    const signCount = await this.ceremonies.verifyRequest(holder, response, known);
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    await store.rows(usePasskey, [row.passkey_id, today, signCount]);
    return { operatorId: row.operator_id, passkeyId: row.passkey_id };
  }
}
