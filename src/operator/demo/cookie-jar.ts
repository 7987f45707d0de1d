interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** Cookies of one origin, as far as sign-in needs them: path and deletion, no domains. */
export class CookieJar {
  readonly #cookies = new Map<string, Cookie>();

  take(url: URL, headers: Headers): void {
    for (const line of headers.getSetCookie()) this.#set(line, url);
  }

  headerFor({ pathname }: URL): string {
    return [...this.#cookies.values()]
      .filter(({ path }) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  #set(line: string, url: URL): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name, value] = cut(pair);
    const attribute = new Map(attributes.map(cut).map(([key, value]) => [key.toLowerCase(), value]));
    const path = attribute.get('path') ?? url.pathname.replace(/\/[^/]*$/, '/');
    const expires = attribute.get('expires');
    const isGone =
      Number(attribute.get('max-age')) <= 0 || (expires !== undefined && Date.parse(expires) <= Date.now());
    const key = `${name};${path}`;
    if (isGone) this.#cookies.delete(key);
    else this.#cookies.set(key, { name, value, path });
  }
}

function cut(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}
