import type { IncomingMessage } from 'node:http';
import { addressClassOf } from '../../limits/address-class.js';
import type { EventMetadata } from '../../log/recorded.js';
import type { Form } from './form.js';

export interface RequestFacts {
  readonly requestId: string;
  readonly address: string;
  /** As presented, not yet authenticated. */
  readonly clientId?: string | undefined;
  readonly form: Form;
}

const factsByRequest = new WeakMap<IncomingMessage, RequestFacts>();

export function rememberFacts(request: IncomingMessage, facts: RequestFacts): void {
  factsByRequest.set(request, facts);
}

export function factsOf(request: IncomingMessage): RequestFacts {
  const facts = factsByRequest.get(request);
  if (!facts) throw new Error('the request bypassed the protocol routes');
  return facts;
}

export function metadataOf(request: IncomingMessage): EventMetadata {
  const { requestId, address, clientId } = factsOf(request);
  return { requestId, addressClass: addressClassOf(address), appId: clientId };
}
