import type { Clock } from '../../../base/support/clock.js';
import type { IdGenerator } from '../../../base/support/id-generator.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { credentialHash } from '../../../base/store/authority/credential-hash.js';
import type { HttpExchange } from './exchange.js';
import type { PageCookies } from './page-cookies.js';

export const KNOWN_BROWSER_MS = 365 * 24 * 3_600_000;
/** Bounds the tries that stolen cookies can add to those of everybody. */
const BROWSERS_MAX = 20;
/** People who sign in with the same browser. */
const PEOPLE_MAX = 5;

interface Row {
  readonly hash: string;
}

/**
 * Browsers in which a person has signed in within a year (OWASP, "Slow Down Online Guessing Attacks with Device
 * Cookies"). Their tries count apart from those of everybody else, so nobody else can use them up. A change of the
 * password, a sign-out everywhere and an erasure end them (end-sessions.ts).
 */
export class KnownBrowsers {
  constructor(
    private readonly cookies: PageCookies,
    private readonly store: AuthorityStore,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the name under which tries of this browser for a normalized handle count: its own if its person has this handle, else
   * the handle. Costs the same for any cookie and any handle.
   */
  async nameOfTries(exchange: HttpExchange, handle: string): Promise<string> {
    const [row] = await this.store.db.query<Row[]>(
      `SELECT encode(browser_hash, 'hex') AS hash FROM authority.known_browser JOIN authority.account USING (actor_id)
         JOIN authority.credential USING (actor_id)
       WHERE browser_hash = ANY ($1) AND signed_in_at > $2 AND handle = $3
         AND password_digest = sha256(convert_to(password_hash, 'UTF8'))`,
      [this.tokens(exchange).map(credentialHash), this.oldest(), handle],
    );
    return row ? JSON.stringify(['browser', row.hash]) : handle;
  }

  /**
   * Makes this browser known for a person, within the transaction of the sign-in. Returns the value of its cookie: a
   * token for each person, the newest first.
   */
  async remember(exchange: HttpExchange, actorId: string): Promise<string> {
    const tokens = this.tokens(exchange);
    const known = await this.store.db.query<[Row[], number]>(
      `DELETE FROM authority.known_browser WHERE actor_id = $1 AND (browser_hash = ANY ($2) OR browser_hash NOT IN (
         SELECT browser_hash FROM authority.known_browser WHERE actor_id = $1 AND browser_hash <> ALL ($2)
         ORDER BY signed_in_at DESC LIMIT $3))
       RETURNING encode(browser_hash, 'hex') AS hash`,
      [actorId, tokens.map(credentialHash), BROWSERS_MAX - 1],
    );
    const replaced = new Set(known[0].map(({ hash }) => hash));
    const token = this.ids.random();
    await this.store.db.query(
      `INSERT INTO authority.known_browser (browser_hash, actor_id, signed_in_at, password_digest)
       SELECT $1, actor_id, $3, sha256(convert_to(password_hash, 'UTF8')) FROM authority.credential WHERE actor_id = $2`,
      [credentialHash(token), actorId, this.clock.now()],
    );
    const others = tokens.filter((other) => !replaced.has(credentialHash(other).toString('hex')));
    return [token, ...others].slice(0, PEOPLE_MAX).join('.');
  }

  private tokens(exchange: HttpExchange): string[] {
    return (this.cookies.knownBrowser(exchange)?.split('.') ?? []).slice(0, PEOPLE_MAX);
  }

  private oldest(): number {
    return this.clock.now() - KNOWN_BROWSER_MS;
  }
}
