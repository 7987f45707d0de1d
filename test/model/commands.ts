import { deepEqual, equal } from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Answer } from '../support/api.js';
import { newIntent } from './real-network.js';
import type { Mutation, RealNetwork } from './real-network.js';
import type { Person } from './people.js';
import type { PostModel, NetworkModel } from './network-model.js';

/** A request of one of the people, and the answer that the model expects. */
abstract class ModelCommand implements fc.AsyncCommand<NetworkModel, RealNetwork> {
  constructor(
    private readonly name: string,
    protected readonly by: number,
    protected readonly at: number,
  ) {}

  check(_society: Readonly<NetworkModel>): boolean {
    return true;
  }

  toString(): string {
    return `${this.name}(${this.by}, ${this.at})`;
  }

  abstract run(society: NetworkModel, real: RealNetwork): Promise<void>;

  protected who = ({ people }: RealNetwork): Person => pick(people, this.by);
  protected other = ({ people }: RealNetwork): Person => pick(people, this.at);
}

const pick = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('there is nothing to pick');
  return item;
};

async function execute(
  real: RealNetwork,
  request: Mutation,
  expected: number | string,
  changes: boolean,
): Promise<Answer> {
  const answer = await real.change(request);
  const got = answer.status === 200 ? 200 : answer.body?.error;
  deepEqual({ request, got }, { request, got: expected });
  if (expected === 200 && changes) real.done.push({ request, answer });
  return answer;
}

class WritePost extends ModelCommand {
  constructor(
    by: number,
    at: number,
    private readonly text: string,
    private readonly reply: boolean,
  ) {
    super('WritePost', by, at);
  }

  async run(society: NetworkModel, real: RealNetwork): Promise<void> {
    const [who, mentioned] = [this.who(real), this.other(real)];
    const parent = this.reply && society.posts.length > 0 ? pick(society.posts, this.at) : undefined;
    const text = `${this.text} @${mentioned.handle}`;
    const may = !parent || society.canSee(who.actorId, parent);
    const body = { ...newIntent(), text, audience: 'public', ...(parent && { parentId: parent.id }) };
    const request = { who, method: 'POST', path: '/api/posts', body } as const;
    const answer = await execute(real, request, may ? 200 : 'parent_unavailable', true);
    if (!may) return;
    deepEqual(answer.body.post, { id: answer.body.post.id, revision: 1, status: 'published' });
    society.post(answer.body.post.id, who.actorId, text, parent, [mentioned.actorId]);
  }
}

/** The refusal of a change of this post by this person, if any. */
function refusalOf(society: NetworkModel, who: Person, post: PostModel): string | undefined {
  if (post.author !== who.actorId)
    return society.canSee(who.actorId, post) ? 'not_owner' : 'post_unavailable';
  return post.deleted ? 'post_deleted' : undefined;
}

class EditPost extends ModelCommand {
  constructor(
    by: number,
    at: number,
    private readonly text: string,
    private readonly stale: boolean,
  ) {
    super('EditPost', by, at);
  }

  override check = ({ posts }: Readonly<NetworkModel>): boolean => posts.length > 0;

  async run(society: NetworkModel, real: RealNetwork): Promise<void> {
    const [who, post, mentioned] = [this.who(real), pick(society.posts, this.at), this.other(real)];
    const text = `${this.text} @${mentioned.handle}`;
    const revision = post.revision + (this.stale ? 1 : 0);
    const refusal = refusalOf(society, who, post) ?? (this.stale ? 'revision_conflict' : undefined);
    const request = {
      who,
      method: 'PATCH',
      path: `/api/posts/${post.id}`,
      body: { ...newIntent(), text, revision },
    } as const;
    const answer = await execute(real, request, refusal ?? 200, post.text !== text);
    if (refusal !== undefined) return;
    society.edit(post, text, [mentioned.actorId]);
    deepEqual(answer.body.post, { id: post.id, revision: post.revision, status: 'published' });
  }
}

class DeletePost extends ModelCommand {
  constructor(by: number, at: number) {
    super('DeletePost', by, at);
  }

  override check = ({ posts }: Readonly<NetworkModel>): boolean => posts.length > 0;

  async run(society: NetworkModel, real: RealNetwork): Promise<void> {
    const [who, post] = [this.who(real), pick(society.posts, this.at)];
    const refusal = refusalOf(society, who, post);
    const request = {
      who,
      method: 'DELETE',
      path: `/api/posts/${post.id}`,
      body: { ...newIntent(), revision: post.revision },
    } as const;
    const answer = await execute(real, request, refusal ?? 200, true);
    if (refusal !== undefined) return;
    society.delete(post);
    deepEqual(answer.body.post, { id: post.id, revision: post.revision, status: 'deleted' });
  }
}

class Relate extends ModelCommand {
  constructor(
    by: number,
    at: number,
    private readonly kind: 'follow' | 'like',
    private readonly on: boolean,
  ) {
    super(`${on ? '' : 'un'}${kind}`, by, at);
  }

  override check = ({ posts }: Readonly<NetworkModel>): boolean => this.kind === 'follow' || posts.length > 0;

  async run(society: NetworkModel, real: RealNetwork): Promise<void> {
    const who = this.who(real);
    const post = this.kind === 'like' ? pick(society.posts, this.at) : undefined;
    const target = post?.id ?? this.other(real).actorId;
    const targetActor = post?.author ?? target;
    const stands = society.tie(this.kind, who.actorId, target).stands;
    const changes = this.on ? !stands : society.canEnd(this.kind, who.actorId, target);
    const path = `/api/relations/${this.kind}/${target}`;
    const request = { who, method: this.on ? 'PUT' : 'DELETE', path, body: newIntent() } as const;
    if (target === who.actorId) return void (await execute(real, request, 'self_relation', false));
    const isThere = post
      ? society.canSee(who.actorId, post)
      : !society.isBlockedBetween(who.actorId, targetActor);
    const expected = !this.on || isThere || stands ? 200 : 'interaction_unavailable';
    const answer = await execute(real, request, expected, changes);
    if (expected !== 200) return;
    if (this.on) society.establish(this.kind, who.actorId, target, targetActor);
    else society.endByActor(this.kind, who.actorId, target);
    const { generation } = society.tie(this.kind, who.actorId, target);
    if (generation > 0) equal(answer.body.relation.generation, String(generation));
  }
}

class Block extends ModelCommand {
  constructor(
    by: number,
    at: number,
    private readonly on: boolean,
  ) {
    super(on ? 'block' : 'unblock', by, at);
  }

  async run(society: NetworkModel, real: RealNetwork): Promise<void> {
    const [who, target] = [this.who(real), this.other(real)];
    const path = `/api/blocks/${target.actorId}`;
    const request = { who, method: this.on ? 'PUT' : 'DELETE', path, body: newIntent() } as const;
    if (target === who) return void (await execute(real, request, 'self_block', false));
    const stands = society.blocks.has(`${who.actorId}>${target.actorId}`);
    const answer = await execute(real, request, 200, stands !== this.on);
    deepEqual(answer.body, { blocked: this.on });
    if (this.on) society.block(who.actorId, target.actorId);
    else society.blocks.delete(`${who.actorId}>${target.actorId}`);
  }
}

class ReadInbox extends ModelCommand {
  constructor(by: number) {
    super('ReadInbox', by, 0);
  }

  async run(society: NetworkModel, real: RealNetwork): Promise<void> {
    const who = this.who(real);
    const body = { ...newIntent(), upTo: Date.now() };
    const request = { who, method: 'POST', path: '/api/inbox/read', body } as const;
    const answer = await execute(real, request, 200, false);
    society.readAll(who.actorId);
    deepEqual(answer.body, { unread: 0 });
  }
}

/** Repeats an executed request: it must change nothing. The same intent with another payload must be refused. */
class Repeat extends ModelCommand {
  constructor(at: number) {
    super('Repeat', 0, at);
  }

  async run(_society: NetworkModel, real: RealNetwork): Promise<void> {
    if (real.done.length === 0) return;
    const { request, answer } = pick(real.done, this.at);
    const again = await real.change(request);
    equal(again.status, 200);
    if (request.method === 'POST') equal(again.body.post.id, answer.body.post.id);
    if (request.path.startsWith('/api/relations')) deepEqual(again.body, answer.body);
    if (request.method !== 'POST' && request.method !== 'PATCH') return;
    const other = { ...request, body: { ...request.body, text: 'something else' } };
    equal((await real.change(other)).body.error, 'intent_conflict');
  }
}

const index = fc.nat({ max: 11 });
const words = fc.constantFrom('one', 'two', 'three');

export const commandArbitraries = [
  fc.tuple(index, index, words, fc.boolean()).map((given) => new WritePost(...given)),
  fc.tuple(index, index, words, fc.boolean()).map((given) => new WritePost(...given)),
  fc.tuple(index, index, words, fc.boolean()).map((given) => new EditPost(...given)),
  fc.tuple(index, index).map((given) => new DeletePost(...given)),
  fc
    .tuple(index, index, fc.constantFrom('follow' as const, 'like' as const), fc.boolean())
    .map((given) => new Relate(...given)),
  fc
    .tuple(index, index, fc.constantFrom('follow' as const, 'like' as const), fc.constant(true))
    .map((given) => new Relate(...given)),
  fc.tuple(index, index, fc.boolean()).map((given) => new Block(...given)),
  index.map((by) => new ReadInbox(by)),
  index.map((at) => new Repeat(at)),
];
