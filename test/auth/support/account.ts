import { CommandBus } from '@nestjs/cqrs';
import type * as oidc from 'openid-client';
import type { ClientCredentials } from '../../../src/commands/application/applications.js';
import { SuspendAccount } from '../../../src/commands/account/accounts.js';
import { password, startAuthNetwork } from './auth-network.js';
import type { AuthNetwork } from './auth-network.js';
import { authorizationRequest, discover, exchange } from './flow.js';
import { Visitor } from './visitor.js';
import type { PageAnswer } from './visitor.js';

export interface SignedInPerson {
  readonly handle: string;
  readonly actorId: string;
  readonly visitor: Visitor;
  /** Their account page after the sign-in. */
  readonly page: PageAnswer;
}

/** Acts at the account page, on a network of the test's own. */
export class AccountFixture {
  private people = 0;

  private constructor(
    readonly network: AuthNetwork,
    /** A registered application and its OAuth client. */
    readonly application: ClientCredentials,
    readonly client: oidc.Configuration,
    /** Address of the account page. */
    readonly address: string,
  ) {}

  static async start(): Promise<AccountFixture> {
    const network = await startAuthNetwork();
    const application = await network.registerApplication();
    const client = await discover(network, application);
    return new AccountFixture(network, application, client, `${network.issuer}/account`);
  }

  async signInAs(handle: string, typed = password): Promise<[Visitor, PageAnswer]> {
    const visitor = new Visitor(this.network.baseUrl);
    return [visitor, await visitor.submit(await visitor.open(this.address), { handle, password: typed })];
  }

  /** A new person, signed in at the account page. */
  async newPerson(): Promise<SignedInPerson> {
    const handle = `person_${++this.people}`;
    const actorId = await this.network.createAccount(handle);
    const [visitor, page] = await this.signInAs(handle);
    return { handle, actorId, visitor, page };
  }

  /** Connects an application, and returns its access token. */
  async connect(visitor: Visitor, by = this.client, scope = 'openid read'): Promise<string> {
    const attempt = await authorizationRequest(by, scope);
    const consent = await visitor.open(attempt.url);
    const { url } = await visitor.submit(consent, { decision: 'allow' });
    return (await exchange(by, new URL(url), attempt)).access_token;
  }

  async suspend(handle: string, actorId: string): Promise<void> {
    const metadata = { requestId: handle, operator: 'test', reason: 'a test' };
    await this.network.app().get(CommandBus).execute(new SuspendAccount(actorId, metadata));
  }

  async isSignedIn(visitor: Visitor): Promise<boolean> {
    return !isSignInPage(await visitor.open(this.address));
  }

  async eventTypesIn(stream: string) {
    return (await this.network.log().read(stream)).map(({ event }) => event.type);
  }
}

export const isSignInPage = ({ text }: PageAnswer) => text.includes('name="password"');
export const alertIn = ({ text }: PageAnswer) => /role="alert"[^>]*>([^<]*)</.exec(text)?.[1];
export const noticeIn = ({ text }: PageAnswer) => /role="status">([^<]*)</.exec(text)?.[1];
