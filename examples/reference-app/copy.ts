/** The copy of the network that this process holds for one session, in memory. It ends with the session. */
import type { components } from '../../client/client.ts';
import { ask } from './network.ts';

type Schemas = components['schemas'];
export type Actor = Schemas['Actor'];
export type Post = Schemas['Post'];
export type InboxEntry = Schemas['InboxEntry'];
type ById<Item> = ReadonlyMap<string, Item>;

const PROFILE_MS = 60_000;
const MAX_IDS_PER_REQUEST = 50;
const MAX_ITEMS = 300;
const MAX_RELATIONS = 2_000;

export interface View {
  readonly posts: ById<Post>;
  /** By kind and target. */
  readonly relations: ById<Schemas['RelationInView']>;
  readonly inbox: ById<InboxEntry>;
  readonly cursor: number;
}

/** `mainId`: of the person or post that the page is about. */
export type Reader = Readonly<{ me: string; view: View; people: ById<Actor>; mainId: string }>;

const merge = <Item extends { readonly id: string }>(old: ById<Item> | undefined, items: readonly Item[]) =>
  new Map([...(old?.values() ?? []), ...items].slice(-MAX_ITEMS).map((item) => [item.id, item]));

export class LocalCopy {
  readonly actorId: string;
  readonly secret: string;
  #profiles = new Map<string, { readonly actor: Actor | undefined; readonly until: number }>();
  #view: View | undefined;

  constructor(secret: string, actorId: string) {
    this.secret = secret;
    this.actorId = actorId;
  }

  /** The view of now. An older answer does not replace a newer one. */
  async view(): Promise<View> {
    const known = this.#view;
    const query = known ? { cursor: known.cursor } : {};
    const answer = await ask(this.secret, (api) => api.GET('/api/reconcile', { params: { query } }));
    const base = answer.replace ? undefined : known;
    if (answer.replace) this.forgetProfiles();
    const relations = answer.relations.map((each) => [`${each.kind} ${each.targetId}`, each] as const);
    const view = {
      posts: merge(base?.posts, [...answer.posts, ...answer.ownPosts]),
      relations: new Map([...(base?.relations ?? []), ...relations].slice(-MAX_RELATIONS)),
      inbox: merge(base?.inbox, answer.inbox),
      cursor: answer.cursor,
    };
    if (view.cursor >= (this.#view?.cursor ?? 0)) this.#view = view;
    return view;
  }

  /** An answer that is under way is forgotten, too. */
  forgetProfiles(): void {
    this.#profiles = new Map();
  }

  async people(ids: readonly string[]): Promise<ById<Actor>> {
    const now = Date.now();
    if (this.#profiles.size > MAX_ITEMS) this.forgetProfiles();
    const profiles = this.#profiles;
    const unknown = [...new Set(ids)].filter((id) => (profiles.get(id)?.until ?? 0) < now);
    while (unknown.length > 0) {
      const asked = unknown.splice(0, MAX_IDS_PER_REQUEST);
      const query = { ids: asked.join(',') };
      const { actors } = await ask(this.secret, (api) => api.GET('/api/actors', { params: { query } }));
      for (const id of asked)
        profiles.set(id, { actor: actors.find((each) => each.actorId === id), until: now + PROFILE_MS });
    }
    const known = ids.flatMap((id) => profiles.get(id)?.actor ?? []);
    return new Map(known.map((actor) => [actor.actorId, actor]));
  }
}
