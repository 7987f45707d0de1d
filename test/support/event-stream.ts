/** A message of a server-sent event stream. `id`: where to resume after it. Absent fields are undefined. */
export interface StreamMessage {
  readonly event?: string;
  readonly data?: string;
  readonly id?: string;
  readonly retry?: string;
}

export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  /** All messages received so far. */
  readonly messages: readonly StreamMessage[];
  /** True once the server has ended the stream. */
  readonly ended: () => boolean;
  close(): void;
}

/** Opens `GET /api/events` and collects its messages. @throws {Error} the answer is no stream. */
export async function openEventStream(
  baseUrl: string,
  { path = '/api/events', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<EventStream> {
  const closing = new AbortController();
  const response = await fetch(baseUrl + path, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: closing.signal,
  });
  if (!response.body || response.status !== 200)
    throw new Error(`no stream: ${response.status} ${await response.text()}`);
  const messages: StreamMessage[] = [];
  let hasEnded = false;
  const read = async (body: ReadableStream<Uint8Array>) => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      messages.push(...blocks.map(parse));
    }
    hasEnded = true;
  };
  read(response.body).catch((error: unknown) => {
    if (!closing.signal.aborted) messages.push({ event: 'broken', data: String(error) });
  });
  return {
    status: response.status,
    headers: response.headers,
    messages,
    ended: () => hasEnded,
    close: () => closing.abort(),
  };
}

function parse(block: string): StreamMessage {
  const fields = block.split('\n').map((line) => /^([^:]*): ?(.*)$/.exec(line));
  return Object.fromEntries(fields.flatMap((field) => (field?.[1] ? [[field[1], field[2] ?? '']] : [])));
}
