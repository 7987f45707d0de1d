import type { Clock } from '../../../base/support/clock.js';
import type { IdGenerator } from '../../../base/support/id-generator.js';
import type { AuthorizationServer } from '../authorization-server.js';
import { APPEAL_PATH, AUTH_PREFIX, RECOVERY_PATH } from '../settings.js';
import type { AuthSettings } from '../settings.js';
import { cookieNames } from './cookie-names.js';
import type { HttpExchange } from './exchange.js';

const NOTICE_MS = 60_000;

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

  get(exchange: HttpExchange, name: string): string | undefined {
    return this.jar(exchange).get(name, { signed: true });
  }

  /** `value` null deletes the cookie. @param until undefined: until the browser closes */
  set(exchange: HttpExchange, name: string, value: string | null, until?: Date, path = '/'): void {
    this.jar(exchange).set(name, value, {
      httpOnly: true,
      sameSite: 'lax',
      signed: true,
      overwrite: true,
      path,
      ...(until && { expires: until }),
    });
  }

  visitorId(exchange: HttpExchange): string {
    const existing = this.get(exchange, this.names.visitor);
    if (existing !== undefined) return existing;
    const visitor = this.ids.random();
    this.set(exchange, this.names.visitor, visitor);
    return visitor;
  }

  /** The tokens of known-browsers.ts. */
  knownBrowser(exchange: HttpExchange): string | undefined {
    return this.get(exchange, this.names.knownBrowser);
  }

  setKnownBrowser(exchange: HttpExchange, value: string, until: Date): void {
    this.set(exchange, this.names.knownBrowser, value, until);
  }

  /** Sets the notice of the next page. It is signed, so that no link can set it. */
  setNotice(exchange: HttpExchange, notice: string): void {
    this.set(exchange, this.names.notice, notice, new Date(this.clock.now() + NOTICE_MS));
  }

  takeNotice(exchange: HttpExchange): string | undefined {
    const notice = this.get(exchange, this.names.notice);
    if (notice !== undefined) this.set(exchange, this.names.notice, null);
    return notice;
  }

  /** The proof of a suspended person's password, which the browser sends to the appeal page alone. */
  appeal(exchange: HttpExchange): string | undefined {
    return this.get(exchange, this.names.appeal);
  }

  /** `value` null deletes it. */
  setAppeal(exchange: HttpExchange, value: string | null, until?: Date): void {
    this.set(exchange, this.names.appeal, value, until, APPEAL_PATH);
  }

  /** The token of a recovery link, which the browser sends to the pages of the recovery alone. */
  recovery(exchange: HttpExchange): string | undefined {
    return this.get(exchange, this.names.recovery);
  }

  /** `value` null deletes it. */
  setRecovery(exchange: HttpExchange, value: string | null, until?: Date): void {
    this.set(exchange, this.names.recovery, value, until, RECOVERY_PATH);
  }

  /** The proof of the password, where a second step follows, at the account page or in an interaction. */
  secondStep(exchange: HttpExchange): string | undefined {
    return this.get(exchange, this.names.secondStep);
  }

  /** `value` null deletes it. */
  setSecondStep(exchange: HttpExchange, value: string | null, until?: Date): void {
    this.set(exchange, this.names.secondStep, value, until, AUTH_PREFIX);
  }

  private jar({ request, response }: HttpExchange) {
    const { cookies } = this.authorization.provider.createContext(request, response);
    cookies.secure = this.isSecure;
    return cookies;
  }
}
