/** What a page says and where its forms go, as far as a test looks. */
export interface Page {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly headers: Headers;
}

interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
}

/** As much of a browser as the pages need: cookies, redirects, forms, `Origin`; no script. */
export class Browser {
  private readonly cookies = new Map<string, Cookie>();

  /** @param home origin of the network: whatever leads elsewhere is not followed, but answered as `url`. */
  constructor(private readonly home: string) {}

  get(url: string): Promise<Page> {
    return this.follow(url, { method: 'GET' });
  }

  /** Sends the page's form with these fields beside its hidden ones. */
  submit(
    page: Page,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const form = formOf(page);
    return this.post(form.action, { ...form.fields, ...fields }, headers);
  }

  post(
    url: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    return this.follow(url, {
      method: 'POST',
      headers: { origin: this.home, ...headers },
      body: new URLSearchParams(fields),
    });
  }

  /** A browser that is closed and opened again on the same cookies, or a second one without them. */
  forget(): void {
    this.cookies.clear();
  }

  /** `name=value` of every cookie, as whoever steals them would have them. */
  jar(): readonly string[] {
    return [...this.cookies].map(([name, { value }]) => `${name}=${value}`);
  }

  private async follow(start: string, init: RequestInit): Promise<Page> {
    let url = start;
    let next = init;
    for (;;) {
      const response = await fetch(url, {
        ...next,
        redirect: 'manual',
        headers: { accept: 'text/html', cookie: this.cookieFor(url), ...(next.headers as object) },
      });
      this.keep(response, url);
      const location = response.headers.get('location');
      const target = location === null ? undefined : new URL(location, url).href;
      const text = await response.text();
      if (target === undefined) return { status: response.status, url, text, headers: response.headers };
      if (!target.startsWith(`${this.home}/`))
        return { status: response.status, url: target, text, headers: response.headers };
      url = target;
      next = { method: 'GET' };
    }
  }

  private cookieFor(url: string): string {
    const { pathname } = new URL(url);
    return [...this.cookies]
      .filter(
        ([, { path }]) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
      )
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  private keep(response: Response, url: string): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const attribute = (wanted: string) =>
        attributes.find((each) => each.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
      const expires = attribute('expires');
      if (expires !== undefined && Date.parse(expires) <= Date.now()) this.cookies.delete(name);
      else this.cookies.set(name, { value, path: attribute('path') ?? new URL(url).pathname });
    }
  }
}

/** The page's only form: its address and its fields as they are filled in. */
export function formOf({ text, url }: Page): Form {
  const action = /<form[^>]* action="([^"]*)"/.exec(text)?.[1];
  if (action === undefined) throw new Error(`no form on ${url}:\n${text}`);
  const hidden = text.matchAll(/<input[^>]* type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return {
    action: new URL(unescape(action), url).href,
    fields: Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, unescape(value)])),
  };
}

const unescape = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
