import { randomUUID } from 'node:crypto';
import type { Answer, SignedIn } from './api.js';

export const postScopes = 'openid read post:create post:edit post:delete block:write';

export const statusAndBody = ({ status, body }: Answer) => [status, body];

/** Returns the id. `fields` as in {@link SignedIn.say}. */
export const createPost = async (by: SignedIn, text = 'as it was', fields: object = {}): Promise<string> =>
  String((await by.say(text, fields)).body.post.id);

/** Edits revision 1 with a new intent. `fields` override the defaults. */
export const editPost = (by: SignedIn, id: string, fields: object = {}): Promise<Answer> =>
  by.patch(`/api/posts/${id}`, { intentId: randomUUID(), revision: 1, text: 'as it is', ...fields });

/** Deletes revision 1 with a new intent. `fields` override the defaults. */
export const deletePost = (
  by: SignedIn,
  id: string,
  fields: { intentId?: string; revision?: number } = {},
): Promise<Answer> => {
  const { intentId = randomUUID(), revision = 1 } = fields;
  return by.delete(`/api/posts/${id}?intentId=${intentId}&revision=${revision}`);
};

export const block = (by: SignedIn, { actorId }: SignedIn): Promise<Answer> =>
  by.put(`/api/blocks/${actorId}`, { intentId: randomUUID() });
