import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { IdGenerator } from '../../../base/support/id-generator.js';
import { Fault } from '../rules/faults.js';
import type { FormFields } from '../storage/exchange.js';

/** The holder of forms before a sign-in. `visitor`: of its cookie. */
export const holderOfVisitor = (visitor: string): string => `visitor:${visitor}`;

/** Proves by a hidden field `form` that a form comes from a page shown to the same browser. */
export class CsrfProtection {
  constructor(
    private readonly key: Buffer,
    private readonly origin: string,
    private readonly ids: IdGenerator,
  ) {}

  /**
   * Returns the field's value for one page.
   * @param holder a secret of the browser: the name of its interaction, session or cookie
   */
  field(holder: string): string {
    const page = this.ids.random();
    return `${page}.${this.digest('form', holder, page)}`;
  }

  /**
   * Returns the page's secret, the same at each submission of its form.
   * @throws {Fault} the form came from another page or browser
   */
  check(holder: string, headers: IncomingHttpHeaders, fields: FormFields): string {
    this.checkOrigin(headers);
    const [page = '', proof = ''] = (fields['form'] ?? '').split('.');
    const expected = Buffer.from(this.digest('form', holder, page));
    const given = Buffer.from(proof);
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new Fault(
        403,
        'invalid_request',
        'This form was not made for this browser, or its sign-in has ended. Load the page again.',
      );
    return this.digest('page', holder, page);
  }

  /** The part of {@link check} that needs no holder. @throws {Fault} */
  checkOrigin({ origin }: IncomingHttpHeaders): void {
    if (origin === undefined)
      throw new Fault(
        403,
        'origin_required',
        'Your browser did not send the Origin header. Allow it, then send the form again.',
      );
    if (origin !== this.origin)
      throw new Fault(
        403,
        'origin_mismatch',
        'This form came from another site. Open the page on this site.',
      );
  }

  private digest(...parts: readonly string[]): string {
    return createHmac('sha256', this.key).update(JSON.stringify(parts)).digest('base64url');
  }
}
