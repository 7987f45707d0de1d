/**
 * The copy of the network that this process holds for one session, in memory: profiles for a minute, and the view that
 * `GET /api/reconcile` keeps. It ends with the session, and so with the network's incarnation.
 */
import type { components } from '../../client/client.ts';
import { ask } from './network.ts';
import type { Session } from './sessions.ts';

export type Actor = components['schemas']['Actor'];
export type Post = components['schemas']['Post'];
export type InboxEntry = components['schemas']['InboxEntry'];
type Relation = components['schemas']['RelationInView'];

const PROFILE_MS = 60_000;
/** As many as one request to the network may name. */
const MAX_IDS = 50;
/** Of a kind, in a copy. */
const MAX_ITEMS = 2_000;

export interface View {
  readonly posts: ReadonlyMap<string, Post>;
  readonly relations: ReadonlyMap<string, Relation>;
  readonly inbox: ReadonlyMap<string, InboxEntry>;
  readonly cursor: number;
}

/** By whom a page is read, and the people on it. */
export interface Reader {
  /** The actor id. Undefined: a visitor. */
  readonly me: string | undefined;
  readonly view: View | undefined;
  readonly people: ReadonlyMap<string, Actor>;
}

export class LocalCopy {
  readonly actorId: string;
  /** Of the session. */
  readonly secret: string;
  readonly #people = new Map<string, { readonly actor: Actor | undefined; readonly until: number }>();
  /** The newest view that was read. */
  latest: View | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor({ actorId, secret }: Session) {
    this.actorId = actorId;
    this.secret = secret;
  }

  /** The view of now. Reads of one session follow each other, since an older answer must not undo a newer one. */
  view(): Promise<View> {
    const next = this.#reading.then(() => this.#reconcile());
    this.#reading = next.catch(() => undefined); // its caller learns of it
    return next;
  }

  async #reconcile(): Promise<View> {
    const known = this.latest;
    const query = known ? { cursor: known.cursor } : {};
    const answer = await ask(this.secret, (api) => api.GET('/api/reconcile', { params: { query } }));
    const base = answer.replace ? undefined : known;
    const merge = <Item>(old: Iterable<Item> = [], items: Item[], key: (item: Item) => string) =>
      new Map([...old, ...items].slice(-MAX_ITEMS).map((item) => [key(item), item]));
    const view = {
      posts: merge(base?.posts.values(), [...answer.posts, ...answer.ownPosts], ({ id }) => id),
      relations: merge(
        base?.relations.values(),
        answer.relations,
        ({ kind, targetId }) => `${kind} ${targetId}`,
      ),
      inbox: merge(base?.inbox.values(), answer.inbox, ({ id }) => id),
      cursor: answer.cursor,
    };
    this.latest = view;
    return view;
  }

  /** The people with these ids whom the person may see. */
  async people(ids: Iterable<string>): Promise<Map<string, Actor>> {
    const wanted = [...new Set(ids)];
    if (this.#people.size > MAX_ITEMS) this.#people.clear();
    const unknown = wanted.filter((id) => !((this.#people.get(id)?.until ?? 0) > Date.now()));
    for (let at = 0; at < unknown.length; at += MAX_IDS) {
      const asked = unknown.slice(at, at + MAX_IDS);
      const query = { ids: asked.join(',') };
      const { actors } = await ask(this.secret, (api) => api.GET('/api/actors', { params: { query } }));
      const found = new Map(actors.map((actor) => [actor.actorId, actor]));
      for (const id of asked) this.#people.set(id, { actor: found.get(id), until: Date.now() + PROFILE_MS });
    }
    return new Map(
      wanted.flatMap((id) => this.#people.get(id)?.actor ?? []).map((actor) => [actor.actorId, actor]),
    );
  }

  /** @param id undefined: everybody, as after a block. */
  forgetPeople(id?: string): void {
    if (id === undefined) this.#people.clear();
    else this.#people.delete(id);
  }
}
