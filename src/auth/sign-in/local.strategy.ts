import type { IncomingMessage, ServerResponse } from 'node:http';
import { callbackify } from 'node:util';
import { Passport } from 'passport';
import { Strategy } from 'passport-local';

export interface SignedIn {
  readonly actorId: string;
}

type SignIn = (handle: string, password: string) => Promise<SignedIn | undefined>;

/** passport speaks Express: of request and response this is what a strategy of ours looks at. */
type Handler = (
  request: Pick<IncomingMessage, 'headers'> & { readonly body: object },
  response: Partial<ServerResponse>,
  next: (error: unknown) => void,
) => void;

/** Local sign-in through passport: fields `handle` and `password`. */
export class LocalSignIn {
  private readonly passport = new Passport();

  constructor(signIn: SignIn) {
    const check = callbackify(signIn);
    const fields = { usernameField: 'handle', passwordField: 'password', session: false };
    this.passport.use(
      new Strategy(fields, (handle, password, done) =>
        check(handle, password, (error, account) => done(error, account ?? false)),
      ),
    );
  }

  /** Undefined: not signed in. Rejects if that cannot be found out. */
  authenticate(body: Readonly<Record<string, string>>): Promise<SignedIn | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<SignedIn | undefined>();
    const answer = (error: unknown, account: SignedIn | false) =>
      error ? reject(error) : resolve(account || undefined);
    const handler = this.passport.authenticate('local', { session: false }, answer) as Handler;
    handler({ headers: {}, body }, {}, reject);
    return promise;
  }
}
