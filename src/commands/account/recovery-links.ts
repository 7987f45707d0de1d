import { Injectable } from '@nestjs/common';
import type { OperatorLink } from '../../domain/account/recovery-link.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { credentialHash, passwordFingerprint } from '../../base/store/authority/credential-hash.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { Addresses } from './addresses.js';
import type { AddressHolder } from './addresses.js';
import { OperatorLinks } from './operator-links.js';

export const RECOVERY_LINK_MINUTES = 30;

interface Row {
  readonly actor_id: string;
  readonly password_fingerprint: string;
  readonly address_proof: string | null;
  readonly link_id: string | null;
  readonly works_from: string;
}

/** `linkId` null: the link was sent by mail. `worksFrom`: Unix milliseconds. */
export interface RecoveryLink {
  readonly holder: AddressHolder;
  readonly linkId: string | null;
  readonly worksFrom: number;
}

type LaterLink = Pick<OperatorLink, 'linkId' | 'worksFrom' | 'worksUntil'>;

interface NewRow {
  readonly proof: string | null;
  readonly linkId: string | null;
  readonly worksFrom: number;
  readonly expiresAt: number;
}

const findLink = {
  name: 'recovery-link',
  text: `SELECT actor_id, password_fingerprint, address_proof, link_id, works_from FROM authority.recovery_link
    WHERE token_hash = $1 AND expires_at > $2`,
};

/**
 * Links that set a new password. Only the hash of a token is stored. A link is bound to the password that the account had, one
 * of a mail also to the proof of the address: a change of either ends it. A new request does not.
 */
@Injectable()
export class RecoveryLinks {
  constructor(
    private readonly store: AuthorityStore,
    private readonly addresses: Addresses,
    private readonly operatorLinks: OperatorLinks,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** Returns the token of a new link for a mail, 128 random bits. */
  make(holder: AddressHolder): Promise<string> {
    const expiresAt = this.clock.now() + RECOVERY_LINK_MINUTES * 60_000;
    return this.insert(holder, { proof: holder.proof, linkId: null, worksFrom: 0, expiresAt });
  }

  /** Returns the token of a link of operators. Its address is not asked: the person may have none. */
  makeLater(holder: AddressHolder, { linkId, worksFrom, worksUntil }: LaterLink): Promise<string> {
    return this.insert(holder, { proof: null, linkId, worksFrom, expiresAt: worksUntil });
  }

  /** Undefined: there is no such link, or it has ended. */
  async find(token: string): Promise<RecoveryLink | undefined> {
    const [row] = await this.store.rows<Row>(findLink, [credentialHash(token), this.clock.now()]);
    if (!row) return undefined;
    const { actor_id: actorId, link_id: linkId } = row;
    const holder = await this.addresses.holder(actorId);
    if (!holder || passwordFingerprint(holder.passwordHash) !== row.password_fingerprint) return undefined;
    const isBound =
      linkId === null
        ? holder.isVerified && holder.proof === row.address_proof
        : (await this.operatorLinks.openOf(actorId))?.linkId === linkId;
    return isBound ? { holder, linkId, worksFrom: Number(row.works_from) } : undefined;
  }

  private async insert(
    { actorId, passwordHash }: AddressHolder,
    { proof, linkId, worksFrom, expiresAt }: NewRow,
  ): Promise<string> {
    const token = this.ids.random();
    await this.store.query({
      text: `INSERT INTO authority.recovery_link
          (token_hash, actor_id, password_fingerprint, address_proof, expires_at, link_id, works_from)
        VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      values: [
        credentialHash(token),
        actorId,
        passwordFingerprint(passwordHash),
        proof,
        expiresAt,
        linkId,
        worksFrom,
      ],
    });
    return token;
  }
}
