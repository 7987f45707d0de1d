import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Act } from '../desk/act.js';
import type { Acts } from '../desk/acts.js';
import type { ActServices } from '../desk/services.js';
import type { Caller } from '../desk/caller.js';
import type { Authentication } from '../desk/identity/authentication.js';
import { newBrowserSecret } from '../desk/identity/sessions.js';
import type { Session, Sessions } from '../desk/identity/sessions.js';
import type { ConsoleCookies } from './cookies.js';
import type { Form } from './form.js';

export interface ConsoleParts {
  readonly acts: Acts;
  readonly services: ActServices;
  readonly authentication: Authentication;
  readonly sessions: Sessions;
  readonly explain: (error: unknown, request: FastifyRequest) => unknown;
}

/** A request to the console whose sender is admitted. */
export interface Exchange extends ConsoleParts {
  readonly cookies: ConsoleCookies;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly visit: Visit;
  readonly params: Readonly<Record<string, string>>;
  readonly form: Form;
}

export type Answering = (exchange: Exchange) => Promise<FastifyReply>;

/** The sender of a request to the console. `secret`: of the session's cookie, or of the visitor's. */
export interface Visit {
  readonly caller: Caller;
  readonly secret: string;
  readonly session: Session | undefined;
}

/** Undefined: the sender has to sign in. Their admission is not checked. */
export async function visitOf(
  request: FastifyRequest,
  reply: FastifyReply,
  row: Act,
  { authentication, cookies }: Pick<Exchange, 'authentication' | 'cookies'>,
): Promise<Visit | undefined> {
  const { cookie } = request.headers;
  if (row.may === 'anyone' || row.may === 'invitation') {
    let secret = cookies.read(cookie, cookies.visitor);
    if (secret === undefined) {
      secret = newBrowserSecret();
      // Any cache may keep a file, and would hand out its cookie.
      if (row.name !== 'console.asset') void reply.header('set-cookie', cookies.set(cookies.visitor, secret));
    }
    return { caller: { kind: 'anyone' }, secret, session: undefined };
  }
  const secret = cookies.read(cookie, cookies.session);
  const session = secret === undefined ? undefined : await authentication.sessionOf(secret);
  if (secret === undefined || !session) return undefined;
  const { operatorId, roles } = session;
  const caller: Caller = { kind: 'operator', operatorId, roles };
  return { caller, secret, session };
}
