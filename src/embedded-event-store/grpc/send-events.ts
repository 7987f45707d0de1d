import { present } from '../reading/resolve-links.js';
import type { Store } from '../storage/store.js';
import type { StreamWriter } from './stream-writer.js';
import type { ReadRequest } from './read-request.js';

/** Sends the events of a page, as the request wants them presented and at the client's pace. */
export async function sendEvents(
  store: Store,
  ordinals: readonly number[],
  request: ReadRequest,
  outlet: StreamWriter,
): Promise<void> {
  for await (const messages of present(store, ordinals, request)) {
    for (const message of messages) await outlet.send(message);
    if (outlet.closed) return;
  }
}

/** A message of Read that is no event. */
export function encode(response: { serializeBinary(): Uint8Array }): Buffer {
  return Buffer.from(response.serializeBinary());
}
