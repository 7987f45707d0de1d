import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Keyset } from '../../../../projections/runner/page-query.js';
import { HttpRefusal } from '../../../server/errors.js';

/** The operation, caller and incarnation that a page cursor is valid for: no others accept it. */
export interface CursorContext {
  readonly operation: string;
  readonly actorId: string | undefined;
  readonly incarnation: string;
}

const MAC_BYTES = 16;

/** Opaque page cursors, signed with HMAC-SHA-256 (128 bits) against forgery and use elsewhere. */
export class PageCursors {
  private readonly key: KeyObject;

  constructor(secret: Buffer) {
    this.key = createSecretKey(secret);
  }

  encode(paged: CursorContext, last: Keyset): string {
    const body = Buffer.from(last.join('.'));
    return Buffer.concat([this.mac(paged, body), body]).toString('base64url');
  }

  /**
   * Returns the keyset that a cursor contains, before its signature is checked; undefined if malformed. {@link verify}
   * must follow the read, since only the read yields caller and incarnation.
   * @param arity numbers in the keyset of the operation.
   */
  decode(cursor: string, arity: number): Keyset | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    const numbers = bytes.subarray(MAC_BYTES).toString().split('.');
    const isCanonical = bytes.toString('base64url') === cursor;
    // 18 digits fit the bigint that Postgres compares.
    if (!isCanonical || numbers.length !== arity || !numbers.every((number) => /^[0-9]{1,18}$/.test(number)))
      return undefined;
    return numbers.map(BigInt);
  }

  /**
   * Checks the signature of a cursor, once its read has yielded the caller and incarnation.
   * @param from result of {@link decode}.
   * @throws {HttpRefusal} `invalid_page_cursor`: malformed, altered, or for another operation, caller or incarnation.
   */
  verify(paged: CursorContext, cursor: string, from: Keyset | undefined): void {
    const bytes = Buffer.from(cursor, 'base64url');
    const mac = bytes.subarray(0, MAC_BYTES);
    const expected = this.mac(paged, bytes.subarray(MAC_BYTES));
    if (!from || mac.length !== expected.length || !timingSafeEqual(mac, expected)) throw invalid();
  }

  private mac({ operation, actorId, incarnation }: CursorContext, body: Buffer): Buffer {
    const bound = JSON.stringify([operation, actorId ?? null, incarnation]);
    return createHmac('sha256', this.key).update(bound).update(body).digest().subarray(0, MAC_BYTES);
  }
}

const invalid = () =>
  new HttpRefusal(
    'invalid_page_cursor',
    'cursor must be the cursor of the previous page; start again with the first page.',
  );
