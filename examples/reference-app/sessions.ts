/** Sessions of people. Each request to the network reads its session anew, so that a change by another process holds at once. */
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from './fault.ts';
import { refreshTokens, type Tokens } from './oauth.ts';
import { consume, insert, newSecret, update, select } from './store.ts';

const LIFE_MS = 30 * 86_400_000;
/** The library may wait ten seconds for the tokens, and ten for the key of their signature. */
const LONGEST_REFRESH_MS = 25_000;
/** A token that is valid for less than this is refreshed before it is used: longer than a request may take. */
const MARGIN_MS = 15_000;

/** Whom the session acts for. Every answer of the network is compared with it. */
export type Authority = Readonly<Record<'actorId' | 'grantId' | 'incarnation', string>>;

/** A refusal of a refresh by the network: nobody asks again before that time. */
type Refusal = Readonly<{ status: number; code: string; until: number }>;

/** `secret`: in the cookie of the browser alone. `ended`: why there are no tokens, a code of pages/faults.txt. */
export type Session = Authority &
  Readonly<{ secret: string; tokens: Tokens; refusal?: Refusal; ended?: string }>;

/** Returns the secret of a new session, for a new cookie. */
export function createSession(authority: Authority, tokens: Tokens): string {
  const secret = newSecret();
  insert('session', secret, '', { ...authority, secret, tokens } satisfies Session, LIFE_MS);
  return secret;
}

export const sessionOf = (secret: string) => select('session', secret)[0] as Session | undefined;
export const forgetSession = (secret: string) => consume('session', secret, '');

/** @throws {Fault} 401: there is none, or it has ended. */
export function requireSession(secret: string): Session {
  const session = sessionOf(secret);
  if (!session || session.ended !== undefined) throw new Fault(401, session?.ended ?? 'session_unknown');
  return session;
}

/** Deletes the tokens, and keeps the reason for the next visit. @throws {Fault} always */
export function endSession(session: Session, ended: string, cause?: unknown): never {
  const tokens = { access: '', refresh: '', expiresAt: 0 };
  update('session', session.secret, '', { ...session, tokens, ended } satisfies Session);
  throw new Fault(401, ended, cause);
}

/** The session with a token that is valid for some seconds. */
export async function freshSession(secret: string): Promise<Session> {
  const session = requireSession(secret);
  return session.tokens.expiresAt - MARGIN_MS > Date.now() ? session : refreshed(session);
}

/**
 * Returns the session with newer tokens than these. One request of one process gets the lease in the file; all others
 * wait for its outcome. A refresh token is sent once, because the network takes a second time for theft.
 */
export async function refreshed({ secret, tokens: { access } }: Session): Promise<Session> {
  for (;;) {
    const isOurs = insert('lease', secret, '', Date.now() + LONGEST_REFRESH_MS, LIFE_MS);
    // Read after the lease is taken: nobody else refreshes it now.
    const session = sessionOf(secret);
    const isDone = session?.tokens.access !== access;
    if (isOurs && session && !isDone) return refresh(session);
    if (isOurs) consume('lease', secret, '');
    if (!session || isDone) return requireSession(secret);
    if (select('lease', secret).some((until) => Number(until) < Date.now())) endSession(session, 'uncertain');
    await pause(20);
  }
}

async function refresh(session: Session): Promise<Session> {
  const { status = 0, code = '', until = 0 } = session.refusal ?? {};
  const seconds = Math.ceil((until - Date.now()) / 1_000);
  try {
    if (seconds > 0) throw new Fault(status, code, undefined, seconds);
    const tokens = await refreshTokens(session.tokens);
    // It may have ended meanwhile.
    if (sessionOf(session.secret)?.ended === undefined)
      update('session', session.secret, '', { ...session, tokens } satisfies Session);
  } catch (cause) {
    if (cause instanceof Fault) {
      const until = Date.now() + (cause.retryAfter ?? 5) * 1_000;
      const refusal = { status: cause.status, code: cause.code, until };
      if (seconds <= 0) update('session', session.secret, '', { ...session, refusal } satisfies Session);
      throw cause;
    }
    const isRefused = (cause as { error?: unknown }).error === 'invalid_grant';
    return endSession(session, isRefused ? 'disconnected' : 'uncertain', cause);
  } finally {
    consume('lease', session.secret, '');
  }
  return requireSession(session.secret);
}
