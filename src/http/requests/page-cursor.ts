import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Keyset } from '../../../projections/runner/page-query.js';
import { HttpRefusal } from '../server/errors.js';

/** What a cursor continues. It works for exactly this, and in this incarnation. */
export interface Paged {
  /** Name of the operation with what it is about, like `replies of <postId>`. */
  readonly operation: string;
  /** Undefined: an anonymous caller. */
  readonly actorId: string | undefined;
  readonly incarnation: string;
}

const MAC_BYTES = 16;

/** Page cursors: opaque, and signed (HMAC-SHA-256, 128 bits) so that they can be neither made up nor used elsewhere. */
export class PageCursors {
  private readonly key: KeyObject;

  constructor(secret: Buffer) {
    this.key = createSecretKey(secret);
  }

  /** `last`: key of the last row that the page was cut at. */
  encode(paged: Paged, last: Keyset): string {
    const body = Buffer.from(last.join('.'));
    return Buffer.concat([this.mac(paged, body), body]).toString('base64url');
  }

  /**
   * Where the page begins, not yet proven: for whom and in which incarnation only the read itself will tell. Undefined:
   * it is no cursor.
   * @param arity how many numbers the operation's keys have.
   */
  keyIn(cursor: string, arity: number): Keyset | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    const numbers = bytes.subarray(MAC_BYTES).toString().split('.');
    const isCanonical = bytes.toString('base64url') === cursor;
    // 18 digits fit the 64 bits that Postgres compares them in.
    if (!isCanonical || numbers.length !== arity || !numbers.every((number) => /^[0-9]{1,18}$/.test(number)))
      return undefined;
    return numbers.map(BigInt);
  }

  /**
   * `from`: what {@link keyIn} said of it.
   * @throws {HttpRefusal} `invalid_page_cursor`: no cursor, altered, or of another operation, caller or incarnation.
   */
  prove(paged: Paged, cursor: string, from: Keyset | undefined): void {
    const bytes = Buffer.from(cursor, 'base64url');
    const given = bytes.subarray(0, MAC_BYTES);
    const due = this.mac(paged, bytes.subarray(MAC_BYTES));
    if (!from || given.length !== due.length || !timingSafeEqual(given, due)) throw invalid();
  }

  private mac({ operation, actorId, incarnation }: Paged, body: Buffer): Buffer {
    const bound = JSON.stringify([operation, actorId ?? null, incarnation]);
    return createHmac('sha256', this.key).update(bound).update(body).digest().subarray(0, MAC_BYTES);
  }
}

const invalid = () =>
  new HttpRefusal(
    'invalid_page_cursor',
    'cursor must be that of the page before; begin again with the first page.',
  );
