import type { Clock, IdGenerator } from '../../commands/support/ambient.js';
import type { AuthorizationServer } from '../authorization-server.js';
import type { AuthSettings } from '../settings.js';
import { cookieNames } from './cookie-names.js';
import type { Exchange } from './exchange.js';

const NOTICE_MS = 60_000;

/** Cookies of the pages themselves, signed with the same keys as the library's own. */
export class PageCookies {
  private readonly names: ReturnType<typeof cookieNames>;
  private readonly isSecure: boolean;

  constructor(
    private readonly authorization: AuthorizationServer,
    { baseUrl }: AuthSettings,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    this.names = cookieNames(baseUrl);
    this.isSecure = baseUrl.startsWith('https:');
  }

  get(exchange: Exchange, name: string): string | undefined {
    return this.jar(exchange).get(name, { signed: true });
  }

  /** @param until undefined: as long as the browser runs. `value` null deletes it. */
  set(exchange: Exchange, name: string, value: string | null, until?: Date): void {
    this.jar(exchange).set(name, value, {
      httpOnly: true,
      sameSite: 'lax',
      signed: true,
      overwrite: true,
      ...(until && { expires: until }),
    });
  }

  /** A random value of a browser that nobody is signed in with yet; given one with this answer if it has none. */
  visitor(exchange: Exchange): string {
    const known = this.get(exchange, this.names.visitor);
    if (known !== undefined) return known;
    const visitor = this.ids.random();
    this.set(exchange, this.names.visitor, visitor);
    return visitor;
  }

  /** What the next page says was done. Signed, so that no link makes the page say it. */
  leaveNotice(exchange: Exchange, notice: string): void {
    this.set(exchange, this.names.notice, notice, new Date(this.clock.now() + NOTICE_MS));
  }

  /** Said once. */
  takeNotice(exchange: Exchange): string | undefined {
    const notice = this.get(exchange, this.names.notice);
    if (notice !== undefined) this.set(exchange, this.names.notice, null);
    return notice;
  }

  private jar({ request, response }: Exchange) {
    const { cookies } = this.authorization.provider.createContext(request, response);
    // Whether the network is behind https is configured; no header says it.
    cookies.secure = this.isSecure;
    return cookies;
  }
}
