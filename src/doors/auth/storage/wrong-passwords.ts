import type { Logger } from 'pino';
import type { Clock } from '../../../base/support/clock.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';

export const WRONG_PASSWORD_DAYS = 30;

export interface WrongPasswordDay {
  /** A day in UTC, as YYYY-MM-DD. */
  readonly day: string;
  readonly tries: number;
}

export class WrongPasswords {
  constructor(
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Does not wait for the row: the time of an answer would tell whether the handle has an account. */
  count(handle: string): void {
    this.store.db
      .query(
        `INSERT INTO authority.wrong_password (actor_id, day, tries)
         SELECT actor_id, $2, 1 FROM authority.account JOIN authority.credential USING (actor_id) WHERE handle = $1
         ON CONFLICT (actor_id, day) DO UPDATE SET tries = wrong_password.tries + 1`,
        [handle, utcDay(this.clock.now())],
      )
      .catch((error: unknown) => this.logger.warn({ err: error }, 'wrong password not counted'));
  }

  /** The days of the last 30 with wrong passwords, the newest first. */
  of(actorId: string): Promise<readonly WrongPasswordDay[]> {
    return this.store.db.query<WrongPasswordDay[]>(
      `SELECT day::text AS day, tries FROM authority.wrong_password
       WHERE actor_id = $1 AND day > $2::date - $3::integer ORDER BY wrong_password.day DESC`,
      [actorId, utcDay(this.clock.now()), WRONG_PASSWORD_DAYS],
    );
  }
}

const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
