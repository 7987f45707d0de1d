import type * as oidc from 'openid-client';
import type { ClientCredentials } from '../../../src/commands/application/applications.js';
import { Browser } from '../../../src/programs/demo/browser.js';
import { startAuthNetwork } from './auth-network.js';
import type { AuthNetwork } from './auth-network.js';
import { connect, discover } from './flow.js';
import type { Connected } from './flow.js';
import { post } from './raw.js';
import type { RawAnswer } from './raw.js';

/** An application that people connect, on a network of the test's own. */
export class ConnectingApplication {
  private constructor(
    readonly network: AuthNetwork,
    readonly credentials: ClientCredentials,
    readonly client: oidc.Configuration,
  ) {}

  /** @param handles of accounts to create. */
  static start(...handles: readonly string[]): Promise<ConnectingApplication> {
    return ConnectingApplication.startOn(startAuthNetwork(), ...handles);
  }

  static async startOn(
    starting: Promise<AuthNetwork>,
    ...handles: readonly string[]
  ): Promise<ConnectingApplication> {
    const network = await starting;
    try {
      const credentials = await network.registerApplication();
      for (const handle of handles) await network.createAccount(handle);
      return new ConnectingApplication(network, credentials, await discover(network, credentials));
    } catch (error) {
      // Without this the test process would never end.
      await network.stop();
      throw error;
    }
  }

  /** Connects it in a new browser. */
  connect(handle = 'ada', scope?: string): Promise<Connected> {
    return connect(this.client, new Browser(this.network.baseUrl), handle, scope);
  }

  /** Sends a form to an endpoint, with the credentials of this application or another. */
  post(
    endpoint: string,
    parameters: Readonly<Record<string, string>>,
    by = this.credentials,
  ): Promise<RawAnswer> {
    return post(this.network, endpoint, by, parameters);
  }
}
