import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { openLink } from '../../domain/account/recovery-link.js';
import type { OperatorLink, OperatorLinks as Links } from '../../domain/account/recovery-link.js';
import { id } from '../../domain/event.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { passwordFingerprint } from '../../base/store/authority/credential-hash.js';
import { Clock } from '../../base/support/clock.js';
import { EventLog } from '../../log/event-log.js';
import { NetworkCipher } from '../support/network-cipher.js';
import { aggregates, readState } from '../support/aggregates.js';
import { Addresses } from './addresses.js';

const findRow = {
  name: 'operator-link',
  text: `SELECT link_id AS "linkId", password_fingerprint AS fingerprint FROM authority.recovery_link
    WHERE actor_id = $1 AND link_id IS NOT NULL AND expires_at > $2 ORDER BY works_from DESC LIMIT 1`,
};

/** A token has some 300 characters. */
const TOKEN_MAX = 1_000;

const ending = z.strictObject({ actorId: id, linkId: id });

/** The link of operators that a mail's link ends. */
export type LinkEnding = z.infer<typeof ending>;

/**
 * Links by which operators let a person set a new password. One is open while the log says so, its row exists, and the
 * password is that of then. So a restore of log or rows can end a link, and gives none back.
 */
@Injectable()
export class OperatorLinks {
  constructor(
    private readonly store: AuthorityStore,
    private readonly addresses: Addresses,
    private readonly log: EventLog,
    private readonly cipher: NetworkCipher,
    private readonly clock: Clock,
  ) {}

  /** All that were made for a person, oldest first. @throws errors of the log */
  all(actorId: string): Promise<Links> {
    return readState(this.log, aggregates.recoveryLinks(actorId));
  }

  /** The one that works, or will. @throws errors of log and store */
  async openOf(actorId: string): Promise<OperatorLink | undefined> {
    const now = this.clock.now();
    const [row] = await this.store.rows<{ linkId: string; fingerprint: string }>(findRow, [actorId, now]);
    const holder = row && (await this.addresses.holder(actorId));
    if (!holder || passwordFingerprint(holder.passwordHash) !== row?.fingerprint) return undefined;
    const open = openLink(await this.all(actorId), now);
    return open?.linkId === row.linkId ? open : undefined;
  }

  /** For a mail, whose reader may not be able to sign in. It ends the link, and opens nothing. */
  endingToken(link: LinkEnding): Promise<string> {
    return this.cipher.encrypt('link ending', link);
  }

  /** Undefined: the token is no such one of this network, or the link is not open any more. @throws errors of log, store and vault */
  async readEnding(token: string): Promise<LinkEnding | undefined> {
    if (token.length > TOKEN_MAX) return undefined;
    const link = ending.safeParse(await this.cipher.decrypt('link ending', token)).data;
    return link && (await this.openOf(link.actorId))?.linkId === link.linkId ? link : undefined;
  }
}
