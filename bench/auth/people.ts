import { randomBytes, randomUUID } from 'node:crypto';
import { CookieJar } from 'tough-cookie';
import { operatorOf } from '../operator.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { formsOf } from '../../src/programs/demo/html-forms.js';
import type { BenchNetwork } from '../network.js';
import { application, challenge, SCOPE } from './application.js';
import type { Application } from './application.js';
import type { Sending } from '../load.js';

/** One person and one application. Prepares all unmeasured steps over HTTP. */
export class People {
  private constructor(
    private readonly baseUrl: string,
    readonly app: Application,
    private readonly person: { readonly handle: string; readonly password: string },
    private readonly browsers: readonly Browser[],
  ) {}

  static async on({ baseUrl, run }: BenchNetwork, browsers: number): Promise<People> {
    const { redirectUri } = application;
    const operator = operatorOf(run.settings);
    const scopes = SCOPE.split(' ');
    const registration = { name: 'Benchmark', redirectUris: [redirectUri], scopes };
    const app = { ...(await operator.call('POST /operator/applications', registration)), redirectUri };
    const person = { handle: `b_${randomBytes(6).toString('hex')}`, password: randomUUID() };
    await operator.call('POST /operator/accounts', {
      ...person,
      displayName: 'B',
      email: `${person.handle}@example.org`,
    });
    const opened = Array.from({ length: browsers }, () => new Browser(baseUrl));
    return new People(baseUrl, app, person, opened);
  }

  /** Returns `count` authorization codes with consent, which live for a minute. */
  async codes(count: number): Promise<string[]> {
    const codes: string[] = [];
    let left = count;
    const walk = async (browser: Browser) => {
      while (left-- > 0) {
        const callback = await browser.authorize(this.authorization(), this.person);
        codes.push(callback.searchParams.get('code') ?? '');
      }
    };
    await Promise.all(this.browsers.map(walk));
    return codes;
  }

  signIns(count: number): Promise<Sending[]> {
    return Promise.all(Array.from({ length: count }, () => this.signIn()));
  }

  private async signIn(): Promise<Sending> {
    const jar = new CookieJar();
    let url = this.authorization();
    for (;;) {
      const cookie = jar.getCookieStringSync(url);
      const headers = { accept: 'text/html', ...(cookie && { cookie }) };
      const response = await fetch(url, { headers, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) jar.setCookieSync(line, url);
      const page = await response.text();
      const location = response.headers.get('location');
      if (location === null) return this.filledIn(url, page, jar);
      url = new URL(location, url);
    }
  }

  private filledIn(at: URL, page: string, jar: CookieJar): Sending {
    const form = formsOf(page).find(({ fields }) => 'handle' in fields && 'password' in fields);
    if (!form) throw new Error(`no sign-in form:\n${page}`);
    const url = new URL(form.action, at);
    return {
      path: url.pathname + url.search,
      method: 'POST',
      headers: {
        accept: 'text/html',
        cookie: jar.getCookieStringSync(url),
        'content-type': 'application/x-www-form-urlencoded',
        origin: new URL(this.baseUrl).origin,
      },
      body: new URLSearchParams({ ...form.fields, ...this.person }).toString(),
    };
  }

  private authorization(): URL {
    const url = new URL(`${this.baseUrl}/api/auth/oauth2/authorize`);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: this.app.clientId,
      redirect_uri: this.app.redirectUri,
      scope: SCOPE,
      state: randomUUID(),
      nonce: randomUUID(),
      code_challenge: challenge,
      code_challenge_method: 'S256',
      prompt: 'consent',
    }).toString();
    return url;
  }
}
