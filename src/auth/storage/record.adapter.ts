import { errors, Provider } from 'oidc-provider';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { credentialHash } from '../../store/authority/credential-hash.js';
import { TokenRequestUnitOfWork } from './token-request-unit-of-work.js';
import type { PayloadCodec } from './payload-codec.js';
import { destroyRecord, endRecord, findRecord, findRecordByUid, keepRecord } from './statements.js';
import type { FoundRecord } from './statements.js';

/**
 * Tokens, codes, login sessions and interactions. Whoever holds such a value may act with it, so the value itself is
 * never written: rows are found by its SHA-256, and what holds a copy of it is left out and put back.
 */
export class RecordAdapter implements Adapter {
  constructor(
    private readonly kind: string,
    private readonly store: AuthorityStore,
    private readonly codec: PayloadCodec,
  ) {}

  /**
   * What was spent or ended meanwhile stays so: a request that began before must not bring a session back.
   * @throws {errors.InvalidRequest} a parameter of the request has U+0000, which `jsonb` cannot hold.
   */
  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    if (escapedNul.test(JSON.stringify(payload)))
      throw new errors.InvalidRequest('a parameter has a control character');
    const stored = this.codec.strip(payload, id);
    const dossier = TokenRequestUnitOfWork.of(Provider.ctx?.req);
    if (dossier) return dossier.issue(this.kind, id, stored);
    const uidHash = payload.uid === undefined ? null : credentialHash(payload.uid);
    const values = [this.kind, credentialHash(id), payload.grantId ?? null, uidHash];
    await this.store.rows(keepRecord, [...values, JSON.stringify(stored), payload.exp]);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const record =
      TokenRequestUnitOfWork.of(Provider.ctx?.req)?.record(this.kind, id) ?? (await this.ask(id));
    return record && { ...this.codec.restore(record.payload, id), ...consumption(record) };
  }

  /** For looking only: the session's own value is not known here, so what is found must not be saved. */
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.store.rows<FoundRecord>(findRecordByUid, [this.kind, credentialHash(uid)]);
    return row?.payload;
  }

  /** Only what a token request exchanges. @throws {errors.InvalidGrant} it was spent before. */
  async consume(id: string): Promise<void> {
    const dossier = TokenRequestUnitOfWork.of(Provider.ctx?.req);
    if (!dossier) throw new Error('only a token request spends');
    dossier.spend(this.kind, id);
    return Promise.resolve();
  }

  async destroy(id: string): Promise<void> {
    // Every request of a browser writes its session; nobody writes anything else a second time that was destroyed.
    await this.store.rows(this.kind === 'Session' ? endRecord : destroyRecord, [
      this.kind,
      credentialHash(id),
    ]);
  }

  /** Nothing to do: the grant itself ends (see grant.adapter.ts), and no token is looked at without its grant. */
  revokeByGrantId(): Promise<void> {
    return Promise.resolve();
  }

  /** Of the device flow, which is off. */
  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  private async ask(id: string): Promise<FoundRecord | undefined> {
    const [row] = await this.store.rows<FoundRecord>(findRecord, [this.kind, credentialHash(id)]);
    return row;
  }
}

/** U+0000 as JSON writes it; not a backslash, which it doubles, before such a text. */
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/;

function consumption({ consumed_at: at }: FoundRecord): Pick<AdapterPayload, 'consumed'> {
  return at === null ? {} : { consumed: Math.floor(at.getTime() / 1000) };
}
