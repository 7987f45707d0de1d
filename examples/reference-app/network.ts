/** Requests to the network for a person: retried where that is safe, refused where the authority is not the session's. */
import { plazaClient } from '../../client/client.ts';
import { Fault, retryAfterOf } from './fault.ts';
import type { Tokens } from './oauth.ts';
import { type Authority, endSession, freshSession, refreshed, type Session } from './sessions.ts';
import { SCOPE, settings } from './settings.ts';

export type Client = ReturnType<typeof plazaClient>;
const TIMEOUT_MS = 10_000;
export const STREAM = 'text/event-stream';

interface Result<Data> {
  readonly data?: Data;
  readonly error?: { readonly error?: string };
  readonly response: Response;
}

function clientFor(token: string): Client {
  const client = plazaClient(settings.baseUrl, () => token);
  const withTimeout = (request: Request) => new Request(request, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  // A stream has its own end (live.ts).
  const isStream = (request: Request) => request.headers.get('accept') === STREAM;
  client.use({ onRequest: ({ request }) => (isStream(request) ? request : withTimeout(request)) });
  return client;
}

/**
 * Returns the answer to a request of the person with this session. `request` must create the identical request each
 * time: after a lost answer it is sent once more. A mutation carries its intent, so it happens once.
 */
export async function ask<Data>(
  secret: string,
  request: (client: Client) => Promise<Result<Data>>,
): Promise<Data> {
  let session = await freshSession(secret);
  for (let tries = 1; ; tries++) {
    const result = await request(clientFor(session.tokens.access)).catch((cause: unknown) => {
      if (tries > 1) throw new Fault(503, 'no_answer', { retryAfter: 5, cause });
    });
    if (result === undefined) continue;
    const { data, error, response } = result;
    checkAuthority(session, response.headers);
    if (data !== undefined) return data;
    if (tries === 1 && response.status === 401) session = await refreshed(session);
    else if (response.status === 401) endSession(session, 'disconnected');
    else if (tries > 1 || error?.error !== 'recovery_publication_changed')
      throw new Fault(response.status, error?.error ?? 'server_error', retryAfterOf(response.headers));
  }
}

/** Learns from the network whom new tokens are for. */
export async function authorityOf({ access }: Tokens): Promise<Authority> {
  const { data, response } = await clientFor(access)
    .GET('/api/session')
    .catch((cause: unknown) => {
      throw new Fault(503, 'no_answer', { retryAfter: 5, cause });
    });
  if (!data) throw new Fault(response.status, 'login_failed', retryAfterOf(response.headers));
  const { actorId, appId, grantId, scopes, incarnation } = data;
  if (appId !== settings.clientId || !scopes.every((scope) => SCOPE.split(' ').includes(scope)))
    throw new Fault(400, 'login_failed');
  return { actorId, grantId, incarnation };
}

/** A session ends if the network answers for somebody else, or has been rebuilt: then nothing that it has shown may be kept. */
function checkAuthority(session: Session, headers: Headers): void {
  const differs = (name: string, expected: string) =>
    ![null, expected].includes(headers.get(`x-network-${name}`));
  if (differs('incarnation', session.incarnation)) endSession(session, 'rebuilt');
  const isOther = differs('actor-id', session.actorId) || differs('grant-id', session.grantId);
  if (isOther || differs('app-id', settings.clientId)) endSession(session, 'disconnected');
}
