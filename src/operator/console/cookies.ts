/** SameSite keeps other sites out, the path and the name other servers of this host: cookies ignore ports. */
export class ConsoleCookies {
  readonly session: string;
  /** Held by browsers that are not signed in, so that their forms have an anti-forgery field too. */
  readonly visitor: string;
  /** The last filters of the queue: a query, in base64url. No secret, and nothing that its holder may not do depends on it. */
  readonly filters: string;
  private readonly attributes: string;

  constructor(origin: string) {
    const isSecure = origin.startsWith('https:');
    const prefix = isSecure ? '__Secure-' : '';
    this.session = `${prefix}plaza_operator`;
    this.visitor = `${prefix}plaza_operator_visitor`;
    this.filters = `${prefix}plaza_operator_filters`;
    this.attributes = `; Path=/console; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  /** The secret in a request's `Cookie`; undefined: none that this server made. */
  read(header: string | undefined, name: string): string | undefined {
    const value = valueOf(header, name);
    return /^[A-Za-z0-9_-]{43}$/.test(value) ? value : undefined;
  }

  /** The query that {@link keepFilters} kept; empty: none. Anybody may have written it: the act checks it. */
  readFilters(header: string | undefined): string {
    return Buffer.from(valueOf(header, this.filters), 'base64url').toString();
  }

  /** Value of `Set-Cookie`, until the browser closes. */
  keepFilters(query: string): string {
    return this.set(this.filters, Buffer.from(query).toString('base64url'));
  }

  /** Value of `Set-Cookie`, until the browser closes. */
  set(name: string, secret: string): string {
    return `${name}=${secret}${this.attributes}`;
  }

  clear(name: string): string {
    return `${name}=${this.attributes}; Max-Age=0`;
  }
}

function valueOf(header: string | undefined, name: string): string {
  const found = header
    ?.split(';')
    .map((pair) => pair.trim().split('=', 2))
    .find(([each]) => each === name);
  return found?.[1] ?? '';
}
