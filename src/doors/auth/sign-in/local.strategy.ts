import type { IncomingMessage, ServerResponse } from 'node:http';
import { callbackify } from 'node:util';
import { Passport } from 'passport';
import { Strategy } from 'passport-local';
import type { FormFields } from '../storage/exchange.js';
import type { SignInResult } from './sign-in.js';

type SignIn = (handle: string, password: string) => Promise<SignInResult | undefined>;

type Handler = (
  request: Pick<IncomingMessage, 'headers'> & { readonly body: object },
  response: Partial<ServerResponse>,
  next: (error: unknown) => void,
) => void;

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

  authenticate(body: FormFields): Promise<SignInResult | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<SignInResult | undefined>();
    const answer = (error: unknown, account: SignInResult | false) =>
      error ? reject(error) : resolve(account || undefined);
    const handler = this.passport.authenticate('local', { session: false }, answer) as Handler;
    handler({ headers: {}, body }, {}, reject);
    return promise;
  }
}
