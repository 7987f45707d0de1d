/** News of the network for the open pages of one session: one stream to the network, however many tabs there are. */
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { components } from '../../client/client.ts';
import { LocalCopy } from './copy.ts';
import { Fault } from './fault.ts';
import { ask, STREAM } from './network.ts';
import { unreadOf } from './pages/layout.ts';
import { postCard } from './pages/post.ts';

type Event = components['schemas']['Event'];

const RECONNECT_MS = 2_000;
/** The network sends a byte at least this often, or the connection is broken. */
const SILENCE_MS = 20_000;
/** How long the stream stays open without a tab: a person who follows a link is back before. */
const LINGER_MS = 5_000;
const MAX_TABS = 20;

export class LiveCopy extends LocalCopy {
  readonly #tabs = new Set<ServerResponse>();
  /** Up to here the stream was read, and here was the last news for a tab. */
  #position = 0;
  #newest = 0;
  #stream: AbortController | undefined;

  /** Sends a tab the news after this position, until it closes. One that has missed some is told to read its page again. */
  join(tab: ServerResponse, position: number): undefined {
    if (!Number.isSafeInteger(position) || this.#tabs.size >= MAX_TABS) throw new Fault(400, 'gone');
    tab.writeHead(200, { 'content-type': STREAM, 'cache-control': 'no-store' }).write('retry: 1000\n\n');
    this.#tabs.add(tab);
    tab.once('close', () => this.#leave(tab));
    if (!this.#stream) {
      this.#position = this.#newest = position;
      this.#stream = new AbortController();
      void this.#follow(this.#stream.signal);
    } else if (position < this.#newest) write(tab, 'replace', null, this.#newest);
  }

  end(): void {
    this.#stream?.abort();
    this.#stream = undefined;
    for (const tab of this.#tabs) tab.end('event: ended\ndata: null\n\n');
  }

  #leave(tab: ServerResponse): void {
    this.#tabs.delete(tab);
    setTimeout(() => {
      if (this.#tabs.size === 0) this.end();
    }, LINGER_MS).unref();
  }

  /** Reads stream after stream, until nobody is here or the session has ended. */
  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#read(signal);
      } catch (fault) {
        if (signal.aborted) return;
        // The page shows the reason when it is loaded again.
        if (fault instanceof Fault && [401, 403].includes(fault.status)) return this.end();
        for (const tab of this.#tabs) write(tab, 'network', 'away');
        await pause(RECONNECT_MS);
      }
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const headers = { accept: STREAM, 'last-event-id': String(this.#position) };
    const options = {
      headers,
      parseAs: 'stream',
      signal: AbortSignal.any([signal, silence.signal]),
    } as const;
    try {
      const body = (await ask(this.secret, (api) =>
        api.GET('/api/events', options),
      )) as ReadableStream<Uint8Array>;
      for (const tab of this.#tabs) write(tab, 'network', 'here');
      let text = '';
      for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
        timer.refresh();
        const frames = (text + chunk).split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) await this.#take(frame);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** A frame of the network has one line for each field. */
  async #take(frame: string): Promise<void> {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
    const [kind, data, id] = [field('event'), JSON.parse(field('data') ?? 'null') as unknown, field('id')];
    if (kind === 'end') {
      // A stream ends with its access token. The next request has another one, or learns why there is none.
      const { error } = data as { error: string };
      if (error !== 'invalid_token') throw new Fault(503, error);
    } else if (kind === 'replace') this.#publish(kind, () => null, Number(id));
    else if (kind !== undefined) await this.#report(data as Event);
    // A sign of life, with the position.
    else for (const tab of this.#tabs) tab.write(`${frame}\n\n`);
    if (id !== undefined) this.#position = Number(id);
  }

  async #report(event: Event): Promise<void> {
    const publish = (kind: string, data: () => unknown) => this.#publish(kind, data, event.position);
    switch (event.kind) {
      case 'post.created':
      case 'post.edited': {
        const people = await this.people([event.post.authorActorId]);
        const reader = { me: this.actorId, people, view: this.latest };
        const isNew = event.kind === 'post.created';
        return publish('post', () => ({ isNew, html: postCard(event.post, reader).html }));
      }
      case 'post.deleted':
        return publish('gone', () => event.postId);
      case 'inbox.added': {
        const unread = unreadOf(await this.view());
        return publish('unread', () => unread);
      }
      case 'profile.changed':
        return this.forgetPeople(event.actorId);
      case 'relation.established':
      case 'relation.ended':
        // Older posts of somebody newly followed are not reported.
        if (event.relation.kind === 'follow') publish('replace', () => null);
    }
  }

  /** `data` is made for each tab, since two tabs must not share the intents of their forms. */
  #publish(kind: string, data: () => unknown, position: number): void {
    this.#newest = position;
    for (const tab of this.#tabs) write(tab, kind, data(), position);
  }
}

function write(tab: ServerResponse, kind: string, data: unknown, id?: number): void {
  tab.write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n${id === undefined ? '' : `id: ${id}\n`}\n`);
}
