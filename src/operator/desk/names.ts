import { z } from 'zod';
import { shows } from '../../domain/name.js';
import type { ActServices } from './services.js';
import { identities } from './who.js';

/** Ids of things that people know by a name. */
export interface NamedIds {
  readonly actors: readonly string[];
  readonly applications: readonly string[];
  readonly operators: readonly string[];
  readonly posts: readonly string[];
}

export const namedIds = (wanted: readonly (readonly [keyof NamedIds, string])[]): NamedIds => {
  const of = (noun: keyof NamedIds) => [
    ...new Set(wanted.flatMap(([each, id]) => (each === noun ? [id] : []))),
  ];
  return {
    actors: of('actors'),
    applications: of('applications'),
    operators: of('operators'),
    posts: of('posts'),
  };
};

const byId = <Named extends z.ZodType>(named: Named) => z.record(z.string(), named);

/** By id; what has no name is missing. */
export const names = z.strictObject({
  /** `handle`: null if its person hides it. An erased account has no name. */
  actors: byId(z.strictObject({ name: z.string(), handle: z.string().nullable(), isErased: z.boolean() })),
  applications: byId(z.string()),
  operators: byId(z.string()),
  /** The first words, of those that anybody can read now. */
  posts: byId(z.string()),
});

export type Names = z.infer<typeof names>;

/** The names of now: an erasure, a new display name and a hidden handle reach every page that is shown after them. */
const statement = {
  name: 'operator.names',
  text: `SELECT json_build_object(
    'actors', (SELECT coalesce(json_object_agg(actor_id, json_build_object('name', display_name,
        'handle', CASE WHEN shows_handle THEN handle END, 'isErased', state = 'erased')), '{}')
      FROM authority.account WHERE actor_id = ANY ($1::text[])),
    'applications', (SELECT coalesce(json_object_agg(app_id, name), '{}')
      FROM authority.application WHERE app_id = ANY ($2::text[])),
    'operators', (SELECT coalesce(json_object_agg(operator_id, name), '{}')
      FROM authority.operator WHERE operator_id = ANY ($3::text[]) AND name <> '')) AS names`,
};

/** Every name of a page, by one statement, and the words of its posts by another. */
export async function namesOf(
  { store, publicPosts }: Pick<ActServices, 'store' | 'publicPosts'>,
  { actors, applications, operators, posts }: NamedIds,
): Promise<Names> {
  const [rows, versions] = await Promise.all([
    store.rows<{ names: Omit<Names, 'posts'> }>(statement, [actors, applications, operators]),
    publicPosts.versionsOf(posts),
  ]);
  const found = rows[0]?.names ?? { actors: {}, applications: {}, operators: {} };
  const words = Object.fromEntries([...versions].map(([id, version]) => [id, firstWords(version.words)]));
  return { ...found, operators: { ...found.operators, ...identities }, posts: words };
}

const MOST_CHARACTERS = 60;

/** The beginning of a text, on one line. Empty: nothing of it is visible. */
export function firstWords(text: string): string {
  const line = shows.test(text) ? text.replaceAll(/\s+/g, ' ').trim() : '';
  const characters = Array.from(line);
  return characters.length <= MOST_CHARACTERS
    ? line
    : `${characters.slice(0, MOST_CHARACTERS).join('').trimEnd()}…`;
}

/** The parts of a name: a handle is one of its own. Empty: only the id tells it from others. */
export const nameParts: Readonly<Record<keyof NamedIds, (names: Names, id: string) => readonly string[]>> = {
  actors: ({ actors }, id) => {
    const { name, handle, isErased } = own(actors, id) ?? { name: '', handle: null, isErased: false };
    return isErased ? ['erased account'] : partsOf(name, handle && `@${handle}`);
  },
  applications: ({ applications }, id) => partsOf(own(applications, id)),
  operators: ({ operators }, id) => partsOf(own(operators, id)),
  posts: ({ posts }, id) => {
    const words = own(posts, id);
    if (words) return [`“${words}”`];
    // The end of the id tells several of one person apart.
    return [`(${words === undefined ? 'not public' : 'nothing visible at its beginning'}, …${id.slice(-6)})`];
  },
};

/** Somebody may ask for an id like `constructor`. */
const own = <Named>(named: Readonly<Record<string, Named>>, id: string): Named | undefined =>
  Object.hasOwn(named, id) ? named[id] : undefined;

const partsOf = (...parts: readonly (string | null | undefined)[]) =>
  parts.filter((part) => part != null && shows.test(part)) as readonly string[];
