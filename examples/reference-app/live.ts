/** News of the network for the open pages of one session: one stream to the network, however many tabs there are. */
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { LocalCopy } from './copy.ts';
import { Fault } from './fault.ts';
import { ask, STREAM } from './network.ts';
import { requireSession } from './sessions.ts';

/** The network sends a byte at least this often, or the connection is broken. */
const SILENCE_MS = 20_000;
const RETRY_MS = 2_000;
/** Events that add something to a page. After any other one, something may have to leave it. */
const MORE = new Set(['post.created', 'inbox.added']);
const MAX_TABS = 20;
const MAX_COPIES = 1_000;

class LiveCopy extends LocalCopy {
  readonly #tabs = new Set<ServerResponse>();
  /** Up to here the stream was read, and here was the last news for a tab. */
  #position = 0;
  #newest = 0;
  #stream: AbortController | undefined;

  get isOpen(): boolean {
    return this.#tabs.size > 0;
  }

  /** Sends a tab the news after this position, until it closes. One that has missed some is told to read its page again. */
  join(tab: ServerResponse, position: number): undefined {
    const isPosition = Number.isSafeInteger(position) && position >= 0 && tab.req.method === 'GET';
    if (!isPosition || this.#tabs.size >= MAX_TABS) throw new Fault(400, 'gone');
    tab.writeHead(200, { 'content-type': STREAM, 'cache-control': 'no-store' });
    tab.write(`retry: ${RETRY_MS}\n\n`);
    this.#tabs.add(tab);
    tab.once('close', () => this.#tabs.delete(tab));
    if (this.#stream) tab.write(frameOf('here'));
    if (this.#stream && position < this.#newest) tab.write(frameOf('replace', this.#newest));
    if (this.#stream) return;
    this.#position = this.#newest = position;
    this.#stream = new AbortController();
    void this.#follow(this.#stream);
  }

  /** Closes the connections of all tabs. They come back, unless this is the end of the session. */
  end(kind: 'away' | 'ended'): void {
    this.#stream?.abort();
    this.#stream = undefined;
    for (const tab of this.#tabs) tab.end(frameOf(kind));
    // A tab closes later, and nothing may be written to it after its end.
    this.#tabs.clear();
  }

  /** Reads stream after stream, each as long as its access token, until nobody is here. */
  async #follow(stream: AbortController): Promise<void> {
    try {
      for (let started = 0; this.isOpen;) {
        if (Date.now() - started < RETRY_MS) await pause(RETRY_MS);
        started = Date.now();
        await this.#read(stream);
      }
      this.end('away');
    } catch (fault) {
      // The page shows the reason of the end when it is loaded again.
      const { status, code } = fault instanceof Fault ? fault : {};
      const isOver = status === 401 || status === 403 || code === 'invalid_client';
      if (this.#stream === stream) this.end(isOver ? 'ended' : 'away');
    }
  }

  async #read(stream: AbortController): Promise<void> {
    const timer = setTimeout(() => stream.abort(), SILENCE_MS);
    const headers = { accept: STREAM, 'last-event-id': String(this.#position) };
    const options = { headers, parseAs: 'stream', signal: stream.signal } as const;
    try {
      const body = await ask(this.secret, (api) => api.GET('/api/events', options));
      this.#broadcast('here');
      let text = '';
      for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
        timer.refresh();
        const frames = (text + chunk).split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) this.#onFrame(frame);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #onFrame(frame: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
    const [kind, position] = [field('event'), Number(field('id') ?? this.#position)];
    this.#position = position;
    if (kind === 'profile.changed') this.forgetProfiles();
    // A heartbeat, with the position.
    if (kind === undefined) for (const tab of this.#tabs) tab.write(`${frame}\n\n`);
    // After the end of a stream, the next request learns the reason.
    else if (kind !== 'end') this.#broadcast(MORE.has(kind) ? 'more' : 'replace', position);
  }

  #broadcast(kind: string, position?: number): void {
    this.#newest = position ?? this.#newest;
    for (const tab of this.#tabs) tab.write(frameOf(kind, position));
  }
}

const frameOf = (kind: string, id?: number): string =>
  `event: ${kind}\ndata: -\n${id === undefined ? '' : `id: ${id}\n`}\n`;

/** For each session, by its secret, the latest used last. */
const copies = new Map<string, LiveCopy>();

/** The copy of this process for a session. @throws {Fault} 401: there is no session, or it has ended. */
export function copyOf(secret: string): LiveCopy {
  const { actorId } = requireSession(secret);
  const copy = copies.get(secret) ?? new LiveCopy(secret, actorId);
  copies.delete(secret);
  copies.set(secret, copy);
  // An open page that lost its copy would read itself again, and cost the next one its copy.
  const isIdle = (each: string) => each !== secret && !copies.get(each)?.isOpen;
  if (copies.size > MAX_COPIES) release([...copies.keys()].find(isIdle) ?? '');
  return copy;
}

export function release(secret: string): void {
  copies.get(secret)?.end('ended');
  copies.delete(secret);
}
