/** SameSite keeps other sites out, the path and the name other servers of this host: cookies ignore ports. */
export class ConsoleCookies {
  readonly session: string;
  /** Held by browsers that are not signed in, so that their forms have an anti-forgery field too. */
  readonly visitor: string;
  private readonly attributes: string;

  constructor(origin: string) {
    const isSecure = origin.startsWith('https:');
    const prefix = isSecure ? '__Secure-' : '';
    this.session = `${prefix}plaza_operator`;
    this.visitor = `${prefix}plaza_operator_visitor`;
    this.attributes = `; Path=/console; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  /** The secret in a request's `Cookie`; undefined: none that this server made. */
  read(header: string | undefined, name: string): string | undefined {
    const found = header
      ?.split(';')
      .map((pair) => pair.trim().split('=', 2))
      .find(([each]) => each === name);
    const value = found?.[1] ?? '';
    return /^[A-Za-z0-9_-]{43}$/.test(value) ? value : undefined;
  }

  /** Value of `Set-Cookie`, until the browser closes. */
  set(name: string, secret: string): string {
    return `${name}=${secret}${this.attributes}`;
  }

  clear(name: string): string {
    return `${name}=${this.attributes}; Max-Age=0`;
  }
}
