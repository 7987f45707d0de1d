import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { clientRequestIdOf } from '../../../server/client-request-id.js';
import { addressClassOf } from '../../../server/limits/address-class.js';
import type { Script } from '../../../base/pages/layout.js';
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

/** A file that the browser saves. If the stream is destroyed, the file is cut off. */
export interface FileAnswer {
  readonly file: Readable;
  readonly name: string;
  readonly contentType: string;
}

export type PageOrRedirect =
  | {
      readonly page: string;
      readonly status: number;
      /** Origin that the page's forms may redirect to, besides the network's own. */
      readonly formTarget?: string;
      readonly script?: Script | undefined;
    }
  | { readonly location: string }
  | FileAnswer;

export function pageRequestMetadata(
  { request, requestId, address }: HttpExchange,
  more?: Partial<EventMetadata>,
): EventMetadata {
  const clientRequestId = clientRequestIdOf(request);
  return { requestId, clientRequestId, addressClass: addressClassOf(address), ...more };
}
