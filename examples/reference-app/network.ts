/** Requests to the network for a person: retried where that is safe, refused where the authority is not the session's. */
import { plazaClient } from '../../client/client.ts';
import { Fault, retryAfterOf } from './fault.ts';
import type { Tokens } from './oauth.ts';
import { type Authority, endSession, freshSession, refreshed, type Session } from './sessions.ts';
import { SCOPES, settings } from './settings.ts';

export const STREAM = 'text/event-stream';

type Result<Data> = Readonly<{ data?: Data; error?: { error?: string }; response: Response }>;
export type Request<Data> = (client: ReturnType<typeof plazaClient>) => Promise<Result<Data>>;

function send<Data>(token: string, request: Request<Data>): Promise<Result<Data>> {
  const client = plazaClient(settings.baseUrl, () => token);
  client.use({
    onRequest({ request: made }) {
      const hasOwnEnd = made.headers.get('accept') === STREAM;
      return hasOwnEnd ? made : new Request(made, { signal: AbortSignal.timeout(10_000) });
    },
  });
  return request(client).catch((cause: unknown) => {
    throw new Fault(503, 'no_answer', cause, 5);
  });
}

/** `request` must create the identical request each time: after a lost answer it is sent again, and its intent happens once. */
export async function ask<Data>(secret: string, request: Request<Data>): Promise<Data> {
  let session = await freshSession(secret);
  for (let [isRepeated, isRenewed] = [false, false]; ;) {
    const result = await send(session.tokens.access, request).catch((fault: unknown) => {
      if (isRepeated) throw fault;
    });
    if (!result) {
      isRepeated = true;
      continue;
    }
    const { data, error: { error: code = 'server_error' } = {}, response } = result;
    checkAuthority(session, response.headers);
    if (data !== undefined) return data;
    if (response.status === 401 && isRenewed) endSession(session, 'disconnected');
    if (response.status === 401) [session, isRenewed] = [await refreshed(session), true];
    else if (!isRepeated && code === 'recovery_publication_changed') isRepeated = true;
    else throw new Fault(response.status, code, undefined, retryAfterOf(response));
  }
}

/** Learns from the network whom new tokens are for. */
export async function authorityOf({ access }: Tokens): Promise<Authority> {
  const { data, error, response } = await send(access, (api) => api.GET('/api/session'));
  const code = error?.error ?? 'login_failed';
  const isOurs = data?.appId === settings.clientId && data.scopes.every((each) => SCOPES.includes(each));
  if (!data && response.status !== 401)
    throw new Fault(response.status, code, undefined, retryAfterOf(response));
  if (!isOurs) throw new Fault(400, 'login_failed', new Error(`the network refused its own token: ${code}`));
  return { actorId: data.actorId, grantId: data.grantId, incarnation: data.incarnation };
}

/** A session ends if the network answers for somebody else, or has been rebuilt: then nothing that it has shown may be kept. */
function checkAuthority(session: Session, headers: Headers): void {
  const differs = (name: string, expected: string) =>
    ![null, expected].includes(headers.get(`x-network-${name}`));
  if (differs('incarnation', session.incarnation)) endSession(session, 'rebuilt');
  const isOther = differs('actor-id', session.actorId) || differs('grant-id', session.grantId);
  if (isOther || differs('app-id', settings.clientId)) endSession(session, 'disconnected');
}
