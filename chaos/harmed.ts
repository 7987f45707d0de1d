import type { TestNetwork } from '../test/support/network.js';
import type { Node } from './event-store-nodes.js';
import type { NodeProxies } from './node-proxies.js';

export interface Harmed {
  readonly network: TestNetwork;
  readonly nodes: readonly Node[];
  /** Before each node, in the same order; empty without them. */
  readonly proxies: readonly NodeProxies[];
  readonly eventStoreUrl: string | undefined;
  readonly nodeLog: string;
  readonly givenUp: AbortSignal;
}
