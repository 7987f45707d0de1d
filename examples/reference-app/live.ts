/** News of the network for the open pages of one session: one stream to the network, however many tabs there are. */
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { components } from '../../client/client.ts';
import type { LocalCopy } from './copy.ts';
import { Fault } from './fault.ts';
import { answerOf, STREAM } from './network.ts';
import { unreadOf } from './pages/layout.ts';
import { postCard } from './pages/post.ts';

type Event = components['schemas']['Event'];

const RECONNECT_MS = 2_000;
/** The network sends a byte at least this often, or the connection is broken. */
const SILENCE_MS = 20_000;
/** How long the stream stays open without a tab: a person who follows a link is back before. */
const LINGER_MS = 5_000;
const MAX_RECENT = 200;
const MAX_TABS = 20;

/** `data` is made for each tab, since two tabs must not share the intents of their forms. */
interface News {
  readonly id: number;
  readonly kind: 'post' | 'gone' | 'unread' | 'replace';
  readonly data: () => unknown;
}

export class LiveNews {
  readonly #copy: LocalCopy;
  readonly #tabs = new Set<ServerResponse>();
  /** News after position `#from`, up to `#position`. */
  #recent: News[] = [];
  #from = 0;
  #position = 0;
  #stream: AbortController | undefined;

  constructor(copy: LocalCopy) {
    this.#copy = copy;
  }

  /** Sends a tab the news after this position, until it closes. */
  join(tab: ServerResponse, position: number): undefined {
    if (!Number.isSafeInteger(position) || this.#tabs.size >= MAX_TABS) throw new Fault(400, 'gone');
    tab.writeHead(200, { 'content-type': STREAM, 'cache-control': 'no-store' }).write('retry: 1000\n\n');
    this.#tabs.add(tab);
    tab.once('close', () => this.#leave(tab));
    if (!this.#stream) {
      [this.#recent, this.#from, this.#position] = [[], position, position];
      this.#stream = new AbortController();
      void this.#follow(this.#stream.signal);
    } else if (position < this.#from) send(tab, { id: this.#position, kind: 'replace', data: () => null });
    else for (const news of this.#recent.filter(({ id }) => id > position)) send(tab, news);
  }

  end(): void {
    this.#stream?.abort();
    this.#stream = undefined;
    for (const tab of this.#tabs) tab.end('event: ended\ndata: null\n\n');
  }

  #leave(tab: ServerResponse): void {
    this.#tabs.delete(tab);
    const stream = this.#stream;
    setTimeout(() => {
      if (this.#tabs.size > 0 || this.#stream !== stream) return;
      this.#stream = undefined;
      stream?.abort();
    }, LINGER_MS).unref();
  }

  /** Reads stream after stream, until nobody is here or the session has ended. */
  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const frame of this.#frames(signal)) await this.#take(frame);
      } catch (fault) {
        if (signal.aborted) return;
        // The page shows the reason when it is loaded again.
        if (fault instanceof Fault && [401, 403].includes(fault.status)) return this.end();
        this.#tell('away');
        await pause(RECONNECT_MS);
      }
    }
  }

  async *#frames(signal: AbortSignal): AsyncGenerator<Frame> {
    const silence = new AbortController();
    const both = AbortSignal.any([signal, silence.signal]);
    const headers = { accept: STREAM, 'last-event-id': String(this.#position) };
    const timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      const { data } = await answerOf(this.#copy.secret, (api) =>
        api.GET('/api/events', { headers, parseAs: 'stream', signal: both }),
      );
      this.#tell('here');
      let text = '';
      for await (const chunk of (data as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
        timer.refresh();
        const frames = (text + chunk).split('\n\n');
        text = frames.pop() ?? '';
        yield* frames.map(frameOf);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async #take({ kind, data, id }: Frame): Promise<void> {
    if (kind === 'end') {
      // A stream ends with its access token. The next request has another one, or learns why there is none.
      const { error } = JSON.parse(data) as { error: string };
      if (error !== 'invalid_token') throw new Fault(503, error);
    } else if (kind === 'replace') this.#publish({ id: id ?? this.#position, kind, data: () => null });
    else if (kind !== undefined) await this.#report(JSON.parse(data) as Event);
    if (id !== undefined) this.#position = id;
  }

  async #report(event: Event): Promise<void> {
    const { position: id } = event;
    switch (event.kind) {
      case 'post.created':
      case 'post.edited': {
        const { post } = event;
        const people = await this.#copy.people([post.authorActorId]);
        const reader = { me: this.#copy.actorId, people, view: this.#copy.latest };
        const isNew = event.kind === 'post.created';
        return this.#publish({
          id,
          kind: 'post',
          data: () => ({ isNew, html: postCard(post, reader).html }),
        });
      }
      case 'post.deleted':
        return this.#publish({ id, kind: 'gone', data: () => ({ id: event.postId }) });
      case 'inbox.added': {
        const unread = unreadOf(await this.#copy.view());
        return this.#publish({ id, kind: 'unread', data: () => unread });
      }
      case 'profile.changed':
        return this.#copy.forgetPeople(event.actorId);
      case 'relation.established':
      case 'relation.ended':
        // Older posts of somebody newly followed are not reported.
        if (event.relation.kind === 'follow') this.#publish({ id, kind: 'replace', data: () => null });
    }
  }

  #publish(news: News): void {
    this.#recent.push(news);
    if (this.#recent.length > MAX_RECENT) this.#from = this.#recent.shift()?.id ?? this.#from;
    for (const tab of this.#tabs) send(tab, news);
  }

  #tell(state: 'here' | 'away'): void {
    for (const tab of this.#tabs) tab.write(`event: network\ndata: "${state}"\n\n`);
  }
}

function send(tab: ServerResponse, { id, kind, data }: News): void {
  tab.write(`event: ${kind}\ndata: ${JSON.stringify(data())}\nid: ${id}\n\n`);
}

interface Frame {
  readonly kind: string | undefined;
  readonly data: string;
  readonly id: number | undefined;
}

/** Frames of the network have one line of data. */
function frameOf(text: string): Frame {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];
  const id = field('id');
  return { kind: field('event'), data: field('data') ?? '', id: id === undefined ? undefined : Number(id) };
}
