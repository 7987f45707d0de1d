import { repliesOf } from '../../projections/posts/posts.read-model.js';
import { ownProfile } from '../../projections/profile/profile.read-model.js';
import type { ReadQuery } from '../../projections/runner/read-query.js';
import { THREAD } from './seed.js';

/** A read as it is asked over HTTP, and what it asks Postgres. */
export interface ReadCase {
  readonly name: string;
  readonly path: string;
  readonly query: Pick<ReadQuery<never, unknown>, 'sql'>;
  readonly values: readonly unknown[];
}

const firstPage = { scan: 50, after: undefined };

export function casesOf(_readerId: string): readonly ReadCase[] {
  return [
    read('profile', '/api/profile', ownProfile, undefined),
    read('replies', `/api/posts/${THREAD}/replies`, repliesOf, { postId: THREAD, ...firstPage }),
  ];
}

function read<Args>(name: string, path: string, query: ReadQuery<Args, unknown>, args: Args): ReadCase {
  return { name, path, query, values: query.values(args) };
}
