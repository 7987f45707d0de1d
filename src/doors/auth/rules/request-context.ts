import type { IncomingMessage } from 'node:http';
import { clientRequestIdOf } from '../../../server/client-request-id.js';
import { addressClassOf } from '../../../server/limits/address-class.js';
import type { EventMetadata } from '../../../log/recorded.js';
import type { Form } from './form.js';

export interface RequestContext {
  readonly requestId: string;
  readonly address: string;
  /** Client identifier that the request presents, not yet authenticated. */
  readonly clientId?: string | undefined;
  readonly form: Form;
}

const factsByRequest = new WeakMap<IncomingMessage, RequestContext>();

export function setRequestContext(request: IncomingMessage, facts: RequestContext): void {
  factsByRequest.set(request, facts);
}

export function requestContextOf(request: IncomingMessage): RequestContext {
  const facts = factsByRequest.get(request);
  if (!facts) throw new Error('the request has no context: it did not come through protocol.routes.ts');
  return facts;
}

export function protocolMetadata(request: IncomingMessage): EventMetadata {
  const { requestId, address, clientId } = requestContextOf(request);
  const clientRequestId = clientRequestIdOf(request);
  return { requestId, clientRequestId, addressClass: addressClassOf(address), appId: clientId };
}
