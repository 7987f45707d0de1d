import { CookieJar } from '../../../src/operator/demo/cookie-jar.js';
import { formsOf } from '../../../src/operator/demo/html-forms.js';
import type { Form } from '../../../src/operator/demo/html-forms.js';

/** One answer, as it came. */
export interface Answer {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly forms: readonly Form[];
}

/** A browser under a test's hand: cookies are kept, but headers are the test's, and each answer can be looked at. */
export class Visitor {
  private readonly jar = new CookieJar();
  /** Values of all cookies that were ever set, signatures left out. */
  readonly cookieValues: string[] = [];

  constructor(private readonly origin: string) {}

  /** One request; redirects are not followed. */
  async request(url: string | URL, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers({ accept: 'text/html', ...(init.headers as Record<string, string>) });
    const cookie = this.jar.headerFor(new URL(url));
    if (cookie) headers.set('cookie', cookie);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    this.jar.take(new URL(url), response.headers);
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      if (value !== '' && !name.endsWith('.sig')) this.cookieValues.push(value);
    }
    const text = await response.text();
    return {
      url: String(url),
      status: response.status,
      text,
      headers: response.headers,
      forms: formsOf(text),
    };
  }

  /** Goes where the answers lead, up to a page or out of the network. */
  async open(url: string | URL, init: RequestInit = {}): Promise<Answer> {
    let answer = await this.request(url, init);
    for (;;) {
      const location = answer.headers.get('location');
      if (location === null) return answer;
      const next = new URL(location, answer.url);
      if (next.origin !== this.origin) return { ...answer, url: next.href };
      answer = await this.request(next);
    }
  }

  /** Sends the page's form, with these fields and headers beside its own; a header of '' is left out. */
  submit(
    page: Answer,
    typed: Readonly<Record<string, string>>,
    changes: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const [form] = page.forms;
    if (!form) throw new Error(`no form on ${page.url}:\n${page.text}`);
    const headers = Object.entries({ origin: this.origin, ...changes }).filter(([, value]) => value !== '');
    return this.open(new URL(form.action, page.url), {
      method: 'POST',
      headers: Object.fromEntries(headers),
      body: new URLSearchParams({ ...form.fields, ...typed }),
    });
  }
}
