import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { IdGenerator } from '../../commands/support/ambient.js';
import { Fault } from '../protocol/faults.js';
import type { Fields } from './exchange.js';

/** Proves that a form came from a page that was shown to the same browser: its hidden field `form`. */
export class CsrfProtection {
  constructor(
    private readonly key: Buffer,
    private readonly origin: string,
    private readonly ids: IdGenerator,
  ) {}

  /**
   * The field's value on one page.
   * @param holder what only the browser that the page is shown to has: names of its interaction, session or cookie.
   */
  field(holder: string): string {
    const page = this.ids.random();
    return `${page}.${this.digest('form', holder, page)}`;
  }

  /**
   * Answers a secret of the page that the form was on: the same each time that page's form is sent, and nobody else's.
   * @throws {Fault} the form came from elsewhere.
   */
  check(holder: string, headers: IncomingHttpHeaders, fields: Fields): string {
    this.checkOrigin(headers);
    const [page = '', proof = ''] = (fields['form'] ?? '').split('.');
    const expected = Buffer.from(this.digest('form', holder, page));
    const given = Buffer.from(proof);
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new Fault(403, 'invalid_request', 'This form is not the one that was shown to you.');
    return this.digest('page', holder, page);
  }

  /** The half of {@link check} that can be done before it is known who holds the page. @throws {Fault} */
  checkOrigin({ origin }: IncomingHttpHeaders): void {
    if (origin === undefined)
      throw new Fault(403, 'origin_required', 'Your browser did not say where this form came from.');
    if (origin !== this.origin) throw new Fault(403, 'origin_mismatch', 'This form came from another site.');
  }

  private digest(...parts: readonly string[]): string {
    return createHmac('sha256', this.key).update(JSON.stringify(parts)).digest('base64url');
  }
}
