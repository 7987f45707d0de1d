import { CookieJar } from 'tough-cookie';
import { formsOf } from '../../../src/programs/demo/html-forms.js';
import type { HtmlForm } from '../../../src/programs/demo/html-forms.js';
import { recordRefusalOnPage } from '../../support/recorded-refusals.js';

export interface PageAnswer {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly forms: readonly HtmlForm[];
}

/** A cookie with the signature of the server. */
export interface SignedCookie {
  readonly value: string;
  readonly signature: string;
}

/** A browser with cookies whose headers the test sets, and whose answers it inspects. */
export class Visitor {
  private readonly jar = new CookieJar();
  private readonly given: (readonly [URL, string])[] = [];
  /** Values and signatures of all cookies ever received. */
  readonly cookieValues: string[] = [];
  private readonly newest = new Map<string, string>();

  constructor(private readonly origin: string) {}

  /** The newest value. */
  cookie(name: string): SignedCookie {
    return { value: this.newest.get(name) ?? '', signature: this.newest.get(`${name}.sig`) ?? '' };
  }

  /** Puts a cookie into the browser. */
  plant(name: string, { value, signature }: SignedCookie): void {
    this.jar.setCookieSync(`${name}=${value}; path=/`, this.origin);
    this.jar.setCookieSync(`${name}.sig=${signature}; path=/`, this.origin);
  }

  /** Copies the other browser's current cookies. */
  takeCookiesOf(other: Visitor): void {
    for (const [url, line] of other.given) this.jar.setCookieSync(line, url);
  }

  /** Cookies for an address, as `name=value`. */
  cookiesFor(url: string): string[] {
    return this.jar.getCookieStringSync(url).split('; ');
  }

  /** Sends one request, and does not follow redirects. */
  async request(url: string | URL, init: RequestInit = {}): Promise<PageAnswer> {
    const headers = new Headers({ accept: 'text/html', ...(init.headers as Record<string, string>) });
    const cookie = this.jar.getCookieStringSync(url);
    if (cookie) headers.set('cookie', cookie);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      this.jar.setCookieSync(line, url);
      this.given.push([new URL(url), line]);
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      if (value !== '') this.cookieValues.push(value);
      this.newest.set(name, value);
    }
    const text = await response.text();
    recordRefusalOnPage(response.status, text);
    return {
      url: String(url),
      status: response.status,
      text,
      headers: response.headers,
      forms: formsOf(text),
    };
  }

  /** Follows redirects up to a page or an address outside of the network. */
  async open(url: string | URL, init: RequestInit = {}): Promise<PageAnswer> {
    let answer = await this.request(url, init);
    for (;;) {
      const location = answer.headers.get('location');
      if (location === null) return answer;
      const next = new URL(location, answer.url);
      if (next.origin !== this.origin) return { ...answer, url: next.href };
      answer = await this.request(next);
    }
  }

  /** Submits the first form of the page that has these fields. `changes`: headers, of which an empty one is left out. */
  submit(
    page: PageAnswer,
    typed: Readonly<Record<string, string>>,
    changes: Readonly<Record<string, string>> = {},
  ): Promise<PageAnswer> {
    const form = page.forms.find(({ fields, buttons }) =>
      Object.keys(typed).every((name) => name in fields || buttons.some((button) => button.name === name)),
    );
    return this.send(page, form, typed, changes);
  }

  /** Submits the form whose action ends with `address`. */
  submitTo(
    page: PageAnswer,
    address: string,
    typed: Readonly<Record<string, string>> = {},
    changes: Readonly<Record<string, string>> = {},
  ): Promise<PageAnswer> {
    const form = page.forms.find(({ action }) => action.endsWith(address));
    return this.send(page, form, typed, changes);
  }

  private send(
    page: PageAnswer,
    form: HtmlForm | undefined,
    typed: Readonly<Record<string, string>>,
    changes: Readonly<Record<string, string>>,
  ): Promise<PageAnswer> {
    if (!form) throw new Error(`no form on ${page.url}:\n${page.text}`);
    const headers = Object.entries({ origin: this.origin, ...changes }).filter(([, value]) => value !== '');
    return this.open(new URL(form.action, page.url), {
      method: 'POST',
      headers: Object.fromEntries(headers),
      body: new URLSearchParams({ ...form.fields, ...typed }),
    });
  }
}
