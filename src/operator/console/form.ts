import { createHash, timingSafeEqual } from 'node:crypto';
import { limits } from '../../base/config/limit-settings.js';
import { HttpRefusal } from '../../server/errors.js';

/** Name of the anti-forgery field of every form. */
export const PROOF_FIELD = 'form';

/** The fields of a posted form. A text that the person left empty counts as absent. Browsers send line feeds as CRLF. */
export class Form {
  private readonly fields: URLSearchParams;

  /** @throws {HttpRefusal} `invalid_request` */
  constructor(encoded: string) {
    this.fields = new URLSearchParams(encoded);
    if (
      this.fields.size > limits.bodies.parameters ||
      [...this.fields.values()].some((each) => each.includes('\0'))
    )
      throw new HttpRefusal('invalid_request', 'The form has too many fields, or a control character.');
  }

  text(name: string): string | undefined {
    const value = this.fields.get(name);
    return value === null || value === '' ? undefined : withLineFeeds(value);
  }

  all(name: string): readonly string[] {
    return this.fields.getAll(name).map(withLineFeeds);
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : Number(text);
  }

  /** @throws {HttpRefusal} the form was not made for the browser with this secret. */
  requireProof(secret: string): void {
    const [given, expected] = [Buffer.from(this.text(PROOF_FIELD) ?? ''), Buffer.from(proofOf(secret))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new HttpRefusal(
        'origin_mismatch',
        'This form was not made for this browser, or its sign-in has ended. Load the page again.',
      );
  }
}

/** A request without a form has an empty one. */
export const formOf = ({ body }: { readonly body?: unknown }): Form =>
  body instanceof Form ? body : new Form('');

const withLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n');

/** Only pages that were shown to the browser have it: no other site can read the cookie's secret. */
export const proofOf = (secret: string): string => digest(`form ${secret}`);

/** See `Passkeys`. */
export const holderOf = (secret: string): string => digest(`holder ${secret}`);

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
