import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientRequestIdOf } from '../../../server/client-request-id.js';
import { addressClassOf } from '../../../server/limits/address-class.js';
import type { EventMetadata } from '../../../log/recorded.js';

export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly address: string;
}

/** A parameter of the query; empty: there is none. */
export const queryOf = ({ request }: HttpExchange, name: string): string =>
  new URL(request.url ?? '', 'http://localhost').searchParams.get(name) ?? '';

export type FormFields = Readonly<Record<string, string>>;

export type PageOrRedirect =
  | {
      readonly page: string;
      readonly status: number;
      /** Origin that the page's forms may redirect to, besides the network's own. */
      readonly formTarget?: string;
    }
  | { readonly location: string };

export function pageRequestMetadata(
  { request, requestId, address }: HttpExchange,
  more?: Partial<EventMetadata>,
): EventMetadata {
  const clientRequestId = clientRequestIdOf(request);
  return { requestId, clientRequestId, addressClass: addressClassOf(address), ...more };
}
