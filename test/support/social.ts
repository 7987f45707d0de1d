import { randomUUID } from 'node:crypto';
import type { Answer, SignedIn } from './api.js';

const intent = () => ({ intentId: randomUUID() });
const asQuery = () => `intentId=${randomUUID()}`;

/** What people do to each other, each with a new intent. Rejects what is not answered with 200. */
export const follow = (who: SignedIn, whom: SignedIn) =>
  done(who.put(`/api/relations/follow/${whom.actorId}`, intent()));

export const unfollow = (who: SignedIn, whom: SignedIn) =>
  done(who.delete(`/api/relations/follow/${whom.actorId}?${asQuery()}`));

export const like = (who: SignedIn, postId: string) =>
  done(who.put(`/api/relations/like/${postId}`, intent()));

export const unlike = (who: SignedIn, postId: string) =>
  done(who.delete(`/api/relations/like/${postId}?${asQuery()}`));

export const block = (who: SignedIn, whom: SignedIn) =>
  done(who.put(`/api/blocks/${whom.actorId}`, intent()));

export const unblock = (who: SignedIn, whom: SignedIn) =>
  done(who.delete(`/api/blocks/${whom.actorId}?${asQuery()}`));

/** Id of a new post. */
export const post = async (who: SignedIn, text: string, fields: object = {}): Promise<string> =>
  (await done(who.say(text, fields))).body.post.id as string;

export const erase = (who: SignedIn, postId: string) =>
  done(who.delete(`/api/posts/${postId}?${asQuery()}&revision=1`));

async function done(answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering;
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}
