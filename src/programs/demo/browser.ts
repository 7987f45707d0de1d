import { CookieJar } from 'tough-cookie';
import { formsOf } from './html-forms.js';
import type { HtmlForm } from './html-forms.js';

const MAX_REDIRECTS = 20;

export interface BrowserPage {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
  /** Value of the header `refresh`, which this browser does not obey. */
  readonly refresh: string | null;
  readonly forms: readonly HtmlForm[];
  /** True: a redirect led out of the network, as back to an application. */
  readonly hasLeft: boolean;
}

export interface BrowserUser {
  readonly handle: string;
  readonly password: string;
  readonly decision?: 'allow' | 'deny';
}

/** A page of a sign-in that no form leads on from. */
export class DeadEnd extends Error {
  override readonly name = 'DeadEnd';

  constructor(readonly page: BrowserPage) {
    super(`the page ${page.url.pathname} (${page.status}) offers neither sign-in nor consent: ${page.text}`);
  }
}

/**
 * A browser without scripts, for one network: it keeps cookies, follows redirects, sends forms with their `Origin`, and
 * stops at a redirect out of the network. Demo and tests use it.
 */
export class Browser {
  readonly #cookies = new CookieJar();
  readonly #origin: string;

  constructor(baseUrl: string) {
    this.#origin = new URL(baseUrl).origin;
  }

  open(url: string | URL): Promise<BrowserPage> {
    return this.#follow(new URL(url), { method: 'GET' });
  }

  submit(page: BrowserPage, form: HtmlForm, typed: Readonly<Record<string, string>>): Promise<BrowserPage> {
    const body = new URLSearchParams({ ...form.fields, ...typed });
    const url = new URL(form.action, page.url);
    if (form.method === 'post')
      return this.#follow(url, { method: 'POST', body, headers: { origin: this.#origin } });
    url.search = body.toString();
    return this.#follow(url, { method: 'GET' });
  }

  /**
   * Follows an authorization URL through sign-in and consent, and returns the callback address of the application.
   * @throws {DeadEnd} a page offers neither.
   */
  async authorize(
    authorizationUrl: string | URL,
    { handle, password, decision = 'allow' }: BrowserUser,
  ): Promise<URL> {
    let page = await this.open(authorizationUrl);
    let hasSignedIn = false;
    while (!page.hasLeft) {
      const signIn = page.forms.find(({ fields }) => 'handle' in fields && 'password' in fields);
      const consent = page.forms.find(({ buttons }) => buttons.some(({ name }) => name === 'decision'));
      if (signIn && !hasSignedIn) page = await this.submit(page, signIn, { handle, password });
      else if (consent) page = await this.submit(page, consent, { decision });
      else throw new DeadEnd(page);
      hasSignedIn ||= signIn !== undefined;
    }
    return page.url;
  }

  async #follow(start: URL, first: RequestInit): Promise<BrowserPage> {
    let [url, request] = [start, first];
    for (let hops = 0; hops < MAX_REDIRECTS; hops++) {
      if (url.origin !== this.#origin)
        return { url, status: 0, text: '', refresh: null, forms: [], hasLeft: true };
      const response = await this.#send(url, request);
      const text = await response.text();
      const location = response.headers.get('location');
      if (location === null || response.status < 300 || response.status > 399)
        return {
          url,
          status: response.status,
          text,
          refresh: response.headers.get('refresh'),
          forms: formsOf(text),
          hasLeft: false,
        };
      url = new URL(location, url);
      // 307 and 308 repeat the request; all others go on with GET.
      if (response.status < 307) request = { method: 'GET' };
    }
    throw new Error(`gave up after ${MAX_REDIRECTS} redirects, the last to ${url.href}`);
  }

  async #send(url: URL, request: RequestInit): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set('accept', 'text/html');
    const cookie = await this.#cookies.getCookieString(url);
    if (cookie) headers.set('cookie', cookie);
    const response = await fetch(url, { ...request, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) await this.#cookies.setCookie(line, url);
    return response;
  }
}
