import * as oidc from 'openid-client';
import type { Page } from 'playwright-core';
import { authorizationRequest, discover, exchange } from '../../auth/support/flow.js';
import type { Attempt } from '../../auth/support/flow.js';
import type { TestNetwork } from '../../support/network.js';
import { until } from '../../support/until.js';
import { password } from './application.js';
import type { LocalApplication } from './application.js';

/** The application's side of the flow, with an unmodified OAuth client library. */
export class Flow {
  private constructor(
    private readonly client: oidc.Configuration,
    private readonly attempt: Attempt,
    private readonly redirectUri: string,
  ) {}

  /** @param changes parameters of the authorization request besides the usual ones. */
  static async begin(
    network: Pick<TestNetwork, 'baseUrl'>,
    application: LocalApplication,
    changes: Readonly<Record<string, string>> = {},
  ): Promise<Flow> {
    const client = await discover({ issuer: `${network.baseUrl}/api/auth` }, application);
    const { redirectUri } = application;
    const parameters = { redirect_uri: redirectUri, ...changes };
    const attempt = await authorizationRequest(client, 'openid offline_access read post:create', parameters);
    return new Flow(client, attempt, redirectUri);
  }

  get url(): string {
    return this.attempt.url.href;
  }

  /** Waits until the browser has returned to the application, and returns its address. */
  async waitForReturn(page: Page): Promise<URL> {
    await page.waitForURL((url) => url.href.startsWith(this.redirectUri));
    return new URL(page.url());
  }

  /** Exchanges the returned code for an access token. */
  async accessToken(page: Page): Promise<string> {
    const tokens = await exchange(this.client, await this.waitForReturn(page), this.attempt);
    return tokens.access_token;
  }
}

export async function signIn(page: Page, handle: string, secret = password): Promise<void> {
  await page.getByLabel('Handle').fill(handle);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export async function allow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Allow' }).click();
}

/** Status of a read with the token. Retries 503, which only a busy machine causes here. */
export async function statusOfProfile(
  { baseUrl }: Pick<TestNetwork, 'baseUrl'>,
  accessToken: string,
): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return until(async () => {
    const { status } = await fetch(`${baseUrl}/api/profile`, { headers });
    return status !== 503 && status;
  });
}
