import type { TestNetwork } from '../test/support/network.js';
import type { Node } from './event-store-nodes.js';

export interface Harmed {
  readonly network: TestNetwork;
  readonly nodes: readonly Node[];
  readonly eventStoreUrl: string | undefined;
  readonly nodeLog: string;
  readonly givenUp: AbortSignal;
}
