import type { IncomingMessage } from 'node:http';
import { errors } from 'oidc-provider';
import type { AdapterPayload } from 'oidc-provider';
import type { KnownGrant } from '../../commands/grant/refresh-grant.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { credentialHash } from '../../store/authority/credential-hash.js';
import { isIdentifier } from './identifier.js';
import { closeDossier, openDossier } from './statements.js';
import type { FoundClient, FoundGrant, FoundRecord } from './statements.js';

/** What an application exchanges for tokens. */
export interface Exchanged {
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

/** What a refresh token's payload has beside what the library keeps there. */
const GRANT_REVISION = 'grantRevision';

const opened = new WeakMap<IncomingMessage, TokenRequestUnitOfWork>();

/**
 * Everything about one token request: found by one statement before the protocol looks at it, written by one after
 * that. The library asks for each part by itself, which would be ten statements; the adapters answer it from here.
 */
export class TokenRequestUnitOfWork {
  private isSpent = false;
  private readonly issued: NewRecord[] = [];

  private constructor(
    private readonly store: AuthorityStore,
    private readonly clientId: string,
    private readonly exchanged: Exchanged,
    private readonly found: Row | undefined,
  ) {}

  /** Within the transaction that is to write it. */
  static async open(
    store: AuthorityStore,
    request: IncomingMessage,
    clientId: string,
    exchanged: Exchanged,
  ): Promise<TokenRequestUnitOfWork> {
    const hash = credentialHash(exchanged.value);
    const values = [isIdentifier(clientId) ? clientId : '', exchanged.kind, hash];
    const [found] = await store.rows<Row>(openDossier, values);
    const dossier = new TokenRequestUnitOfWork(store, clientId, exchanged, found);
    opened.set(request, dossier);
    return dossier;
  }

  /** Undefined where the request has none. */
  static of(request: IncomingMessage | undefined): TokenRequestUnitOfWork | undefined {
    return request && opened.get(request);
  }

  /** Undefined: it is not about this one, or there is none. */
  client(clientId: string): FoundClient | undefined {
    return (clientId === this.clientId && this.found?.client) || undefined;
  }

  /** Undefined: it is not about this one, or there is none. */
  grant(grantId: string): FoundGrant | undefined {
    return this.found?.live?.grantId === grantId ? this.found.live : undefined;
  }

  /** The grant as it was when the token that is exchanged was kept. Undefined: an older release kept it. */
  knownGrant(grantId: string): KnownGrant | undefined {
    const revision = this.found?.payload?.[GRANT_REVISION];
    const live = this.grant(grantId);
    return live && typeof revision === 'string' ? { ...live, revision: BigInt(revision) } : undefined;
  }

  /** The live grant of a code that was spent before, and was issued to whom presents it. Undefined: it is no such code. */
  grantOfSpentCode(): string | undefined {
    const { payload, consumed_at: consumedAt, live } = this.found ?? {};
    if (this.exchanged.kind !== 'AuthorizationCode' || !consumedAt) return undefined;
    return payload?.['clientId'] === this.clientId ? live?.grantId : undefined;
  }

  /** Whether the grant is the actor's, so that the account is known to be live. */
  isOf(actorId: string): boolean {
    return this.found?.live?.actorId === actorId;
  }

  /** Undefined: it is not about this one, or there is none. */
  record(kind: string, value: string): FoundRecord | undefined {
    const { payload, consumed_at: consumedAt } = this.found ?? {};
    if (!payload || !this.isAbout(kind, value)) return undefined;
    return { payload, consumed_at: consumedAt ?? null };
  }

  /** @throws {errors.InvalidGrant} it was spent before. */
  spend(kind: string, value: string): void {
    if (!this.isAbout(kind, value) || this.found?.consumed_at) throw new errors.InvalidGrant('already used');
    this.isSpent = true;
  }

  issue(kind: string, value: string, payload: AdapterPayload): void {
    const { grantId = null, exp = 0 } = payload;
    const key_hash = credentialHash(value).toString('hex');
    this.issued.push({ kind, key_hash, grant_id: grantId, payload, exp });
  }

  /**
   * Spends and keeps, in one statement. `grantRevision`: of the grant's stream, which the next refresh begins from.
   * @throws {errors.InvalidGrant} there was nothing left to spend.
   */
  async close(grantRevision: bigint): Promise<void> {
    const { kind, value } = this.exchanged;
    const withRevision = (record: NewRecord): NewRecord =>
      record.kind === 'RefreshToken'
        ? { ...record, payload: { ...record.payload, [GRANT_REVISION]: String(grantRevision) } }
        : record;
    const values = [kind, credentialHash(value), JSON.stringify(this.issued.map(withRevision))];
    const kept = this.isSpent ? await this.store.rows(closeDossier, values) : [];
    if (kept.length !== this.issued.length) throw new errors.InvalidGrant('already used');
  }

  private isAbout(kind: string, value: string): boolean {
    return kind === this.exchanged.kind && value === this.exchanged.value;
  }
}
