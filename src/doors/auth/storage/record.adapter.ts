import { errors, Provider } from 'oidc-provider';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { credentialHash } from '../../../base/store/authority/credential-hash.js';
import { TokenRequestUnitOfWork } from './token-request-unit-of-work.js';
import type { PayloadCodec } from './payload-codec.js';
import { destroyRecord, endSessionRecord, findRecord, findRecordByUid, upsertRecord } from './statements.js';
import type { FoundRecord } from './statements.js';

/**
 * Stores tokens, codes, login sessions and interactions. Their values are bearer credentials and are never written: a
 * row is found by the SHA-256 of its value, and the codec removes copies of the value from the payload.
 */
export class RecordAdapter implements Adapter {
  constructor(
    private readonly kind: string,
    private readonly store: AuthorityStore,
    private readonly codec: PayloadCodec,
  ) {}

  /**
   * Stores a record, but never over a spent or ended one: a slower concurrent request must not bring a session back.
   * @throws {errors.InvalidRequest} a parameter contains U+0000, which `jsonb` cannot hold.
   */
  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    if (escapedNul.test(JSON.stringify(payload)))
      throw new errors.InvalidRequest('a parameter contains the control character U+0000; remove it');
    const stored = this.codec.strip(payload, id);
    const unitOfWork = TokenRequestUnitOfWork.of(Provider.ctx?.req);
    if (unitOfWork) return unitOfWork.issue(this.kind, id, stored);
    const uidHash = payload.uid === undefined ? null : credentialHash(payload.uid);
    const values = [this.kind, credentialHash(id), payload.grantId ?? null, uidHash];
    await this.store.rows(upsertRecord, [...values, JSON.stringify(stored), payload.exp]);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const record =
      TokenRequestUnitOfWork.of(Provider.ctx?.req)?.record(this.kind, id) ?? (await this.load(id));
    return record && { ...this.codec.restore(record.payload, id), ...consumption(record) };
  }

  /** Returns the payload without its own value, so a caller must not save it. */
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.store.rows<FoundRecord>(findRecordByUid, [this.kind, credentialHash(uid)]);
    return row?.payload;
  }

  async consume(id: string): Promise<void> {
    const unitOfWork = TokenRequestUnitOfWork.of(Provider.ctx?.req);
    if (!unitOfWork) throw new Error('a code or refresh token can be spent only within a token request');
    unitOfWork.spend(this.kind, id);
    return Promise.resolve();
  }

  async destroy(id: string): Promise<void> {
    // Concurrent requests may write a session again, so its ended row must stay. No other record is written again.
    await this.store.rows(this.kind === 'Session' ? endSessionRecord : destroyRecord, [
      this.kind,
      credentialHash(id),
    ]);
  }

  /** Does nothing: ending the grant (see grant.adapter.ts) invalidates its tokens. */
  revokeByGrantId(): Promise<void> {
    return Promise.resolve();
  }

  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  private async load(id: string): Promise<FoundRecord | undefined> {
    const [row] = await this.store.rows<FoundRecord>(findRecord, [this.kind, credentialHash(id)]);
    return row;
  }
}

/** U+0000 in JSON: an odd number of backslashes before `u0000`. */
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/;

function consumption({ consumed_at: at }: FoundRecord): Pick<AdapterPayload, 'consumed'> {
  return at === null ? {} : { consumed: Math.floor(at.getTime() / 1000) };
}
