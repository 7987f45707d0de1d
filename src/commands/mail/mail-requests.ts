import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { id, time } from '../../domain/event.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { NetworkCipher } from '../support/network-cipher.js';

const ofPerson = { actorId: id, address: z.string() };

const shape = z.discriminatedUnion('kind', [
  /** Somebody typed the address to set a new password; nothing was looked up. */
  z.strictObject({ kind: z.literal('recovery'), address: z.string() }),
  /** A person says that the address is theirs. */
  z.strictObject({ kind: z.literal('verification'), ...ofPerson }),
  /** A verified address is not the account's any more. */
  z.strictObject({ kind: z.literal('address_changed'), ...ofPerson }),
  z.strictObject({ kind: z.literal('recovered'), ...ofPerson, by: z.enum(['mail', 'operators']) }),
  /** Operators made a link that sets a new password. */
  z.strictObject({
    kind: z.literal('recovery_link_made'),
    ...ofPerson,
    linkId: id,
    worksFrom: time,
    worksUntil: time,
  }),
  /** A passkey or the second step of the account has changed. */
  z.strictObject({
    kind: z.enum([
      'passkey_added',
      'passkey_removed',
      'second_step_required',
      'second_step_lifted',
      'recovery_code_used',
    ]),
    ...ofPerson,
  }),
]);

/** A mail that has not been made yet. */
export type MailRequest = z.infer<typeof shape>;

/** A stored request. */
export interface StoredRequest {
  readonly request_id: string;
  readonly content: string;
  /** An attempt to send the mail has failed. */
  readonly is_retry: boolean;
}

/** A request is worth nothing after this time, also if no mail was sent. */
export const MAIL_REQUEST_MS = 60 * 60_000;

/**
 * Requests for mails, from which one process makes and sends them (src/background/mail). So an answer is sent before
 * anybody looks up if its address is known, and does not wait for a server of mails. They are encrypted, and no mail is stored.
 */
@Injectable()
export class MailRequests {
  constructor(
    private readonly store: AuthorityStore,
    private readonly cipher: NetworkCipher,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** Joins the transaction of the caller. */
  async add(request: MailRequest): Promise<void> {
    const content = await this.cipher.encrypt('mail request', request);
    await this.store.query({
      text: `INSERT INTO authority.mail_request (request_id, requested_at, due_at, content) VALUES ($1, $2, $2, $3)`,
      values: [this.ids.uuid(), this.clock.now(), content],
    });
  }

  /** The requests to work on now, the oldest first. */
  async due(limit: number): Promise<readonly StoredRequest[]> {
    const { rows } = await this.store.query<StoredRequest>({
      name: 'due-mail-requests',
      text: `SELECT request_id, content, due_at > requested_at AS is_retry FROM authority.mail_request WHERE due_at <= $1 AND requested_at > $2
        ORDER BY due_at LIMIT $3`,
      values: [this.clock.now(), this.clock.now() - MAIL_REQUEST_MS, limit],
    });
    return rows;
  }

  /** @throws {Error} another release wrote the request, or it was changed. */
  async read({ content }: StoredRequest): Promise<MailRequest> {
    return shape.parse(await this.cipher.decrypt('mail request', content));
  }

  async remove({ request_id: requestId }: StoredRequest): Promise<void> {
    await this.store.query({
      text: 'DELETE FROM authority.mail_request WHERE request_id = $1',
      values: [requestId],
    });
  }

  /** Until it has waited for as long again: each pause is twice the one before. */
  async postpone({ request_id: requestId }: StoredRequest, leastMs: number): Promise<void> {
    await this.store.query({
      text: `UPDATE authority.mail_request SET due_at = $2::bigint + greatest($3::bigint, $2::bigint - requested_at)
        WHERE request_id = $1`,
      values: [requestId, this.clock.now(), leastMs],
    });
  }
}
