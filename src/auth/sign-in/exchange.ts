import type { IncomingMessage, ServerResponse } from 'node:http';
import { addressClassOf } from '../../limits/address-class.js';
import type { EventMetadata } from '../../log/recorded.js';

/** A request for a page and its answer under way, as the library and its cookies need them, and who sent it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Where the request comes from, as far as is known. */
  readonly address: string;
}

/** Fields of a form that was sent, by name. */
export type Fields = Readonly<Record<string, string>>;

/** A page to show, or an address to go on at. */
export type Step =
  | {
      readonly page: string;
      readonly status: number;
      /** Origin that its forms may end at besides the network's. */
      readonly formTarget?: string;
    }
  | { readonly location: string };

/** What the log keeps of who came to a page. */
export function metadataOf({ requestId, address }: Exchange, more?: Partial<EventMetadata>): EventMetadata {
  return { requestId, addressClass: addressClassOf(address), ...more };
}
