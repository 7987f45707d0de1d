import { randomBytes } from 'node:crypto';
import { Visitor } from '../auth/support/visitor.js';
import type { PageAnswer } from '../auth/support/visitor.js';
import { operatorOf, password, signInRegistered } from './api.js';
import type { Application, SignedIn } from './api.js';
import type { TestNetwork } from './network.js';

type NetworkAccess = Pick<TestNetwork, 'baseUrl' | 'env'>;

/** A person with an application and the account page. */
export interface PersonWithPage extends SignedIn {
  readonly handle: string;
  /** Signs in at the account page, in a new browser. */
  openAccount(): Promise<readonly [Visitor, PageAnswer]>;
}

export async function personWithPage(
  network: NetworkAccess,
  application: Application,
  scope: string,
): Promise<PersonWithPage> {
  const handle = `p_${randomBytes(5).toString('hex')}`;
  const account = { handle, displayName: `Person ${handle}`, email: `${handle}@example.org`, password };
  const { actorId } = await operatorOf(network).post('accounts', account);
  const signedIn = await signInRegistered(network, application, { actorId, handle }, scope);
  return {
    ...signedIn,
    handle,
    openAccount: async () => {
      const visitor = new Visitor(network.baseUrl);
      const page = await visitor.open(`${network.baseUrl}/api/auth/account`);
      return [visitor, await visitor.submit(page, { handle, password })];
    },
  };
}
