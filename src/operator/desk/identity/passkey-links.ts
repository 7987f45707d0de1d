import { newPasskeyLinkCode, operatorSecretHash } from '../../../commands/operator/secrets.js';
import type { Clock } from '../../../base/support/clock.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';

const LINK_MS = 10 * 60_000;

const insertLink = {
  name: 'operator-passkey-link.insert',
  text: 'INSERT INTO authority.operator_passkey_link (code_hash, operator_id, expires_at) VALUES ($1, $2, $3)',
};

const findLink = {
  name: 'operator-passkey-link.find',
  text: `SELECT operator_id AS "operatorId", operator.name FROM authority.operator_passkey_link
    JOIN authority.operator USING (operator_id) WHERE code_hash = $1 AND expires_at > $2`,
};

const takeLink = {
  name: 'operator-passkey-link.take',
  text: `DELETE FROM authority.operator_passkey_link WHERE code_hash = $1 AND expires_at > $2
    RETURNING operator_id AS "operatorId"`,
};

const deleteLinks = {
  name: 'operator-passkey-link.delete',
  text: 'DELETE FROM authority.operator_passkey_link WHERE operator_id = $1',
};

interface Linked {
  readonly operatorId: string;
}

/** Codes by which an operator with a personal token registers a passkey in a browser, once and soon. */
export class PasskeyLinks {
  constructor(
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
  ) {}

  /** `expiresAt`: Unix milliseconds. */
  async issue(operatorId: string): Promise<{ readonly code: string; readonly expiresAt: number }> {
    const [code, expiresAt] = [newPasskeyLinkCode(), this.clock.now() + LINK_MS];
    await this.store.rows(insertLink, [operatorSecretHash(code), operatorId, expiresAt]);
    return { code, expiresAt };
  }

  async find(code: string): Promise<(Linked & { readonly name: string }) | undefined> {
    const [found] = await this.store.rows<Linked & { readonly name: string }>(findLink, this.values(code));
    return found;
  }

  /** Undefined: no such link is open. */
  async take(code: string): Promise<string | undefined> {
    const [taken] = await this.store.rows<Linked>(takeLink, this.values(code));
    return taken?.operatorId;
  }

  /** With a token that is revoked, because it may have made them. */
  async withdraw(operatorId: string): Promise<void> {
    await this.store.rows(deleteLinks, [operatorId]);
  }

  private values(code: string): unknown[] {
    return [operatorSecretHash(code), this.clock.now()];
  }
}
