import { errors } from 'oidc-provider';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { credentialHash } from '../../store/authority/credential-hash.js';

interface Row {
  readonly payload: AdapterPayload;
  readonly consumed_at: Date | null;
}

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
    const stored = JSON.stringify(this.codec.strip(payload));
    if (escapedNul.test(stored)) throw new errors.InvalidRequest('a parameter has a control character');
    await this.store.db.query(
      `INSERT INTO authority.oidc_record (kind, key_hash, grant_id, uid_hash, payload, expires_at)
       VALUES ($1, $2, $3, $4, $5, to_timestamp($6))
       ON CONFLICT (kind, key_hash) DO UPDATE SET grant_id = EXCLUDED.grant_id, uid_hash = EXCLUDED.uid_hash,
         payload = EXCLUDED.payload, expires_at = EXCLUDED.expires_at
       WHERE oidc_record.consumed_at IS NULL`,
      [
        this.kind,
        credentialHash(id),
        payload.grantId ?? null,
        payload.uid === undefined ? null : credentialHash(payload.uid),
        stored,
        payload.exp,
      ],
    );
  }

  /** Within a token request's transaction the row stays locked, so that of two requests with one value the second waits. */
  async find(id: string): Promise<AdapterPayload | undefined> {
    const lock = this.store.inTransaction ? 'FOR UPDATE' : '';
    const [row] = await this.store.db.query<Row[]>(
      `SELECT payload, consumed_at FROM authority.oidc_record WHERE kind = $1 AND key_hash = $2 ${lock}`,
      [this.kind, credentialHash(id)],
    );
    return row && { ...this.codec.restore(row.payload, id), ...consumption(row) };
  }

  /** For looking only: the session's own value is not known here, so what is found must not be saved. */
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.store.db.query<Row[]>(
      `SELECT payload, consumed_at FROM authority.oidc_record WHERE kind = $1 AND uid_hash = $2`,
      [this.kind, credentialHash(uid)],
    );
    return row?.payload;
  }

  /** @throws {errors.InvalidGrant} it was spent before. */
  async consume(id: string): Promise<void> {
    const [, spent] = await this.store.db.query<[unknown[], number]>(
      `UPDATE authority.oidc_record SET consumed_at = now()
       WHERE kind = $1 AND key_hash = $2 AND consumed_at IS NULL`,
      [this.kind, credentialHash(id)],
    );
    if (spent !== 1) throw new errors.InvalidGrant('already used');
  }

  async destroy(id: string): Promise<void> {
    await this.store.db.query(`DELETE FROM authority.oidc_record WHERE kind = $1 AND key_hash = $2`, [
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
}

/** U+0000 as JSON writes it; not a backslash, which it doubles, before such a text. */
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/;

function consumption({ consumed_at: at }: Row): Pick<AdapterPayload, 'consumed'> {
  return at === null ? {} : { consumed: Math.floor(at.getTime() / 1000) };
}

/** Takes copies of the secret value out of what is written, and puts them back into what is read. */
export interface PayloadCodec {
  strip(payload: AdapterPayload): AdapterPayload;
  restore(stored: AdapterPayload, id: string): AdapterPayload;
}

export const plainPayload: PayloadCodec = {
  strip: ({ jti: _value, consumed: _column, ...rest }) => rest,
  restore: (stored, id) => ({ ...stored, jti: id }),
};

/** An interaction also knows the address that it returns to, which names it, and the session's cookie, which nobody reads. */
export function interactionPayload(returnTo: (uid: string) => string): PayloadCodec {
  return {
    strip: ({ jti: _value, returnTo: _address, session, ...rest }) => {
      if (session === undefined) return rest;
      const { cookie: _cookie, ...known } = session as Record<string, unknown>;
      return { ...rest, session: known };
    },
    restore: (stored, id) => ({ ...stored, jti: id, returnTo: returnTo(id) }),
  };
}
