import type { IncomingMessage } from 'node:http';
import { errors } from 'oidc-provider';
import type { AdapterPayload } from 'oidc-provider';
import type { KnownGrant } from '../../../commands/grant/grants.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { credentialHash } from '../../../base/store/authority/credential-hash.js';
import { isIdentifier } from './identifier.js';
import { commitTokenRequest, loadTokenRequest } from './statements.js';
import type { FoundClient, FoundGrant, FoundRecord } from './statements.js';

export interface ExchangedCredential {
  readonly kind: 'AuthorizationCode' | 'RefreshToken';
  readonly value: string;
}

interface Row extends Partial<FoundRecord> {
  readonly client: FoundClient | null;
  readonly live: FoundGrant | null;
}

interface NewRecord {
  readonly kind: string;
  readonly key_hash: string;
  readonly grant_id: string | null;
  readonly payload: AdapterPayload;
  readonly exp: number;
}

const GRANT_REVISION = 'grantRevision';

const unitsOfWork = new WeakMap<IncomingMessage, TokenRequestUnitOfWork>();

/**
 * The reads and writes of one token request: one statement before the protocol runs, one after it. The library alone
 * would need ten statements; the adapters answer it from this object. A getter returns undefined for an identifier that
 * is not part of the request.
 */
export class TokenRequestUnitOfWork {
  private isSpent = false;
  private readonly issued: NewRecord[] = [];

  private constructor(
    private readonly store: AuthorityStore,
    private readonly clientId: string,
    private readonly exchanged: ExchangedCredential,
    private readonly found: Row | undefined,
  ) {}

  /** Reads all that the token request needs. Call within the transaction that commits the tokens. */
  static async open(
    store: AuthorityStore,
    request: IncomingMessage,
    clientId: string,
    exchanged: ExchangedCredential,
  ): Promise<TokenRequestUnitOfWork> {
    const hash = credentialHash(exchanged.value);
    const values = [isIdentifier(clientId) ? clientId : '', exchanged.kind, hash];
    const [found] = await store.rows<Row>(loadTokenRequest, values);
    const unitOfWork = new TokenRequestUnitOfWork(store, clientId, exchanged, found);
    unitsOfWork.set(request, unitOfWork);
    return unitOfWork;
  }

  static of(request: IncomingMessage | undefined): TokenRequestUnitOfWork | undefined {
    return request && unitsOfWork.get(request);
  }

  client(clientId: string): FoundClient | undefined {
    return (clientId === this.clientId && this.found?.client) || undefined;
  }

  grant(grantId: string): FoundGrant | undefined {
    return this.found?.live?.grantId === grantId ? this.found.live : undefined;
  }

  /**
   * The active grant, with its revision at the issue of the exchanged token; undefined if the grant has ended, or if an
   * older release issued the token.
   */
  grantAtIssue(grantId: string): KnownGrant | undefined {
    const revision = this.found?.payload?.[GRANT_REVISION];
    const live = this.grant(grantId);
    return live && typeof revision === 'string' ? { ...live, revision: BigInt(revision) } : undefined;
  }

  /** The active grant of a reused code, if the code was issued to the client that presents it. */
  grantOfSpentCode(): string | undefined {
    const { payload, consumed_at: consumedAt, live } = this.found ?? {};
    if (this.exchanged.kind !== 'AuthorizationCode' || !consumedAt) return undefined;
    return payload?.['clientId'] === this.clientId ? live?.grantId : undefined;
  }

  isGrantOf(actorId: string): boolean {
    return this.found?.live?.actorId === actorId;
  }

  record(kind: string, value: string): FoundRecord | undefined {
    const { payload, consumed_at: consumedAt } = this.found ?? {};
    if (!payload || !this.isExchanged(kind, value)) return undefined;
    return { payload, consumed_at: consumedAt ?? null };
  }

  spend(kind: string, value: string): void {
    if (!this.isExchanged(kind, value) || this.found?.consumed_at)
      throw new errors.InvalidGrant('already used');
    this.isSpent = true;
  }

  issue(kind: string, value: string, payload: AdapterPayload): void {
    const { grantId = null, exp = 0 } = payload;
    const key_hash = credentialHash(value).toString('hex');
    this.issued.push({ kind, key_hash, grant_id: grantId, payload, exp });
  }

  /**
   * Spends the credential and stores the new tokens in one statement.
   * @param grantRevision of the grant's stream; the next refresh expects it
   * @throws {errors.InvalidGrant} the credential was spent before
   */
  async commit(grantRevision: bigint): Promise<void> {
    const { kind, value } = this.exchanged;
    const withRevision = (record: NewRecord): NewRecord =>
      record.kind === 'RefreshToken'
        ? { ...record, payload: { ...record.payload, [GRANT_REVISION]: String(grantRevision) } }
        : record;
    const values = [kind, credentialHash(value), JSON.stringify(this.issued.map(withRevision))];
    const stored = this.isSpent ? await this.store.rows(commitTokenRequest, values) : [];
    if (stored.length !== this.issued.length) throw new errors.InvalidGrant('already used');
  }

  private isExchanged(kind: string, value: string): boolean {
    return kind === this.exchanged.kind && value === this.exchanged.value;
  }
}
