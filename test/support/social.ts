import { randomUUID } from 'node:crypto';
import type { Answer, SignedIn } from './api.js';

const newIntent = () => ({ intentId: randomUUID() });
const intentQuery = () => `intentId=${randomUUID()}`;

/** Acts of people, each with a new intent. @throws {Error} the answer is not 200. */
export const follow = (actor: SignedIn, other: SignedIn) =>
  expectSuccess(actor.put(`/api/relations/follow/${other.actorId}`, newIntent()));

export const unfollow = (actor: SignedIn, other: SignedIn) =>
  expectSuccess(actor.delete(`/api/relations/follow/${other.actorId}?${intentQuery()}`));

export const like = (actor: SignedIn, postId: string) =>
  expectSuccess(actor.put(`/api/relations/like/${postId}`, newIntent()));

export const unlike = (actor: SignedIn, postId: string) =>
  expectSuccess(actor.delete(`/api/relations/like/${postId}?${intentQuery()}`));

export const block = (actor: SignedIn, other: SignedIn) =>
  expectSuccess(actor.put(`/api/blocks/${other.actorId}`, newIntent()));

export const unblock = (actor: SignedIn, other: SignedIn) =>
  expectSuccess(actor.delete(`/api/blocks/${other.actorId}?${intentQuery()}`));

/** Returns the id. */
export const post = async (actor: SignedIn, text: string, fields: object = {}): Promise<string> =>
  (await expectSuccess(actor.say(text, fields))).body.post.id as string;

export const removePost = (actor: SignedIn, postId: string) =>
  expectSuccess(actor.delete(`/api/posts/${postId}?${intentQuery()}&revision=1`));

async function expectSuccess(answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering;
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}
