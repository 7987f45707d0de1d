import { readResponses } from '../reading/read-responses.js';
import type { Store } from '../storage/store.js';
import type { StreamWriter } from './stream-writer.js';
import type { ReadRequest } from './read-request.js';

export async function sendEvents(
  store: Store,
  ordinals: readonly number[],
  request: ReadRequest,
  writer: StreamWriter,
): Promise<void> {
  for await (const messages of readResponses(store, ordinals, request)) {
    for (const message of messages) await writer.send(message);
    if (writer.closed) return;
  }
}

export function encodeResponse(response: { serializeBinary(): Uint8Array }): Buffer {
  return Buffer.from(response.serializeBinary());
}
