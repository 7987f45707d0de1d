import type { IncomingMessage } from 'node:http';
import { addressClassOf } from '../../limits/address-class.js';
import type { EventMetadata } from '../../log/recorded.js';
import type { Form } from './form.js';

/** What is known of a request before the library sees it. */
export interface RequestFacts {
  readonly requestId: string;
  /** That it comes from. */
  readonly address: string;
  /** As it authenticates, if it is right. */
  readonly clientId?: string | undefined;
  readonly form: Form;
}

const known = new WeakMap<IncomingMessage, RequestFacts>();

export function rememberFacts(request: IncomingMessage, facts: RequestFacts): void {
  known.set(request, facts);
}

/** @throws {Error} nobody remembered it, which is a fault of ours. */
export function factsOf(request: IncomingMessage): RequestFacts {
  const facts = known.get(request);
  if (!facts) throw new Error('a request came to the library by another way');
  return facts;
}

/** What the log keeps about the request that a fact came with. */
export function metadataOf(request: IncomingMessage): EventMetadata {
  const { requestId, address, clientId } = factsOf(request);
  return { requestId, addressClass: addressClassOf(address), appId: clientId };
}
