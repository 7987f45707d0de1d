/**
 * Sessions of people. Each is read from the file anew for every request to the network, so that a refresh or an end in
 * another process holds here at once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from './fault.ts';
import { refreshTokens, type Tokens } from './oauth.ts';
import { database, decrypt, encrypt, idOf, newSecret } from './store.ts';

const LIFE_MS = 30 * 86_400_000;
/** Longer than a refresh may take. A lease that runs out leaves its outcome unknown. */
const LEASE_MS = 15_000;
/** A token that is valid for less than this is refreshed before it is used. */
const MARGIN_MS = 10_000;

/** Whom the session acts for. Every answer of the network is compared with it. */
export type Authority = Readonly<Record<'actorId' | 'grantId' | 'incarnation', string>>;

interface Stored extends Authority {
  readonly tokens: Tokens;
  /** Why there are no tokens: a code of pages/faults.txt. */
  readonly ended?: string;
}

export interface Session extends Stored {
  readonly id: string;
  /** In the cookie of the browser alone. */
  readonly secret: string;
  /** Counts the refreshes. */
  readonly generation: number;
  /** Until then, in Unix milliseconds, some request refreshes the tokens. */
  readonly lease: number;
}

/** Returns the secret of a new session, for a new cookie. */
export function createSession(authority: Authority, tokens: Tokens): string {
  const secret = newSecret();
  database
    .prepare('INSERT INTO session (id, data, expires) VALUES (?, ?, ?)')
    .run(idOf(secret), encrypt(secret, { ...authority, tokens }), Date.now() + LIFE_MS);
  return secret;
}

export function sessionOf(secret: string): Session | undefined {
  const id = idOf(secret);
  const row = database.prepare('SELECT * FROM session WHERE id = ? AND expires > ?').get(id, Date.now());
  if (!row) return undefined;
  const data = decrypt(secret, row['data'] as Uint8Array) as Stored;
  return { ...data, id, secret, generation: Number(row['generation']), lease: Number(row['lease']) };
}

/** @throws {Fault} 401: there is none, or it has ended. */
export function requireSession(secret = ''): Session {
  const session = sessionOf(secret);
  if (!session || session.ended !== undefined) throw new Fault(401, session?.ended ?? 'session_unknown');
  return session;
}

/** Deletes the tokens, and keeps the reason for the next visit. @throws {Fault} always */
export function endSession({ id, secret, ...session }: Session, ended: string, cause?: unknown): never {
  const stored = encrypt(secret, { ...session, ended, tokens: { access: '', refresh: '', expiresAt: 0 } });
  database.prepare('UPDATE session SET data = ?, generation = generation + 1 WHERE id = ?').run(stored, id);
  throw new Fault(401, ended, { cause });
}

export function forgetSession(secret: string): void {
  database.prepare('DELETE FROM session WHERE id = ?').run(idOf(secret));
}

/** The session with a token that is valid for some seconds. */
export function freshSession(secret: string): Promise<Session> | Session {
  const session = requireSession(secret);
  return session.tokens.expiresAt - MARGIN_MS > Date.now() ? session : refreshed(session);
}

/**
 * Returns the session with newer tokens than these. One request of one process claims the refresh in the file; all
 * others wait for its outcome. A refresh token is sent once, because the network takes a second time for theft.
 */
export async function refreshed({ secret, generation }: Session): Promise<Session> {
  for (;;) {
    const session = requireSession(secret);
    if (session.generation > generation) return session;
    const now = Date.now();
    const claimed = database
      .prepare('UPDATE session SET lease = ? WHERE id = ? AND generation = ? AND lease = 0')
      .run(now + LEASE_MS, session.id, generation);
    if (claimed.changes === 1) return refresh(session);
    if (session.lease > 0 && session.lease < now) endSession(session, 'uncertain');
    await pause(20);
  }
}

async function refresh(session: Session): Promise<Session> {
  const { id, secret, actorId, grantId, incarnation, generation } = session;
  const tokens = await refreshTokens(session.tokens).catch((cause: unknown) => {
    const isRefused = (cause as { error?: unknown }).error === 'invalid_grant';
    if (!(cause instanceof Fault)) endSession(session, isRefused ? 'disconnected' : 'uncertain', cause);
    database.prepare('UPDATE session SET lease = 0 WHERE id = ? AND generation = ?').run(id, generation);
    throw cause;
  });
  const stored = encrypt(secret, { actorId, grantId, incarnation, tokens });
  database
    .prepare('UPDATE session SET data = ?, generation = ?, lease = 0 WHERE id = ? AND generation = ?')
    .run(stored, generation + 1, id, generation);
  return requireSession(secret);
}
