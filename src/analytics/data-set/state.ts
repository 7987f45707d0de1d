import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';

const position = z.int().nonnegative();
const day = z.string().regex(/^\d{4}-\d\d-\d\d$/);

/** Lengths in base 36: of bytes outside of pages and of a page, by turns. `sha256`: of all bytes outside. */
const outsidePages = z.strictObject({ lengths: z.string(), sha256: z.string() });

const dataFile = z.strictObject({
  /** Below the directory of the data set, with `/`. */
  path: z.string().regex(/^events\/day=[\d-]+\/\d+-\d+(?:-\d+)?\.parquet$/),
  day,
  rows: z.int().positive(),
  first: position,
  last: position,
  lastEventId: z.string(),
  bytes: z.int().positive(),
  sha256: z.string(),
  /** Undefined: a release before format 2 wrote the file. */
  outside: outsidePages.optional(),
});

const peopleFile = dataFile.omit({ day: true, first: true, lastEventId: true }).extend({
  path: z.string().regex(/^people\/\d+\.parquet$/),
  rows: z.int().nonnegative(),
  people: z.int().nonnegative(),
});

const state = z.strictObject({
  /** 1: without `keyProof`, of the release before. */
  format: z.literal([1, 2]),
  number: z.int().positive(),
  committedAt: z.iso.datetime(),
  checkpoint: z.strictObject({ position, eventId: z.string() }).nullable(),
  personal: z.enum(['none', 'encrypted']),
  operators: z.boolean().optional(),
  /** Place of the directory for who reads `views.sql`; undefined: this one. */
  root: z.string().optional(),
  /** Unix milliseconds: older events are left out. */
  since: z.int().nullable(),
  /** Undefined: a release that left older events out without a trace began the data set. */
  folded: z.union([z.enum(['nothing', 'forgotten']), peopleFile]).optional(),
  /** Digest that only the key of the data set makes. */
  keyProof: z.string().optional(),
  /** Digest of the columns and treatments of all files; `mixed`: releases with other ones wrote some. */
  shape: z.string(),
  applications: z.array(z.strictObject({ appId: z.string(), name: z.string(), position })),
  files: z.array(dataFile),
  /** Files that a compaction replaced, and when, in Unix milliseconds: an open reader may still read them. */
  replaced: z.array(z.strictObject({ path: z.string(), at: z.int() })).optional(),
});

export type OutsidePages = z.infer<typeof outsidePages>;
export type DataFile = z.infer<typeof dataFile>;
export type PeopleFile = z.infer<typeof peopleFile>;
export type State = z.infer<typeof state>;

const commit = z.strictObject({ sha256: z.string(), state: z.unknown() });

/** Returns the text of a commit: the state with its own digest. */
export function commitText(content: State): string {
  return `{"sha256":"${digestOf(content)}","state":${JSON.stringify(content)}}\n`;
}

/** The commit is whole, and this release does not know its format. */
export class UnknownFormat extends Error {
  override readonly name = 'UnknownFormat';
}

/** @throws {Error} the text is no commit, or was changed. {@link UnknownFormat} */
export function parseCommit(text: string): State {
  const read = commit.parse(JSON.parse(text));
  if (read.sha256 !== digestOf(read.state)) throw new Error('its checksum does not match');
  const known = state.safeParse(read.state);
  if (!known.success) throw new UnknownFormat('its format is unknown', { cause: known.error });
  return known.data;
}

const digestOf = (content: unknown) => createHash('sha256').update(JSON.stringify(content)).digest('hex');

export const peopleFileOf = ({ folded }: Pick<State, 'folded'>): PeopleFile | undefined =>
  typeof folded === 'object' ? folded : undefined;

/** Files that the commit needs: of folded people and of events. */
export const filesOf = (state: State): readonly (DataFile | PeopleFile)[] => [
  ...[peopleFileOf(state) ?? []].flat(),
  ...state.files,
];

export const namedBy = (state: State): Set<string> =>
  new Set([...filesOf(state), ...(state.replaced ?? [])].map(({ path }) => path));

/** Number of people whose older events are folded; null: nothing is known of older events. */
export function foldedPeopleOf({ folded }: Pick<State, 'folded'>): number | null {
  if (folded === undefined || folded === 'forgotten') return null;
  return folded === 'nothing' ? 0 : folded.people;
}

/** Each application once, by its newest name. */
export const namedApplications = ({ applications }: Pick<State, 'applications'>) => [
  ...new Map(applications.map((each) => [each.appId, each])).values(),
];

export const applicationLines = (state: Pick<State, 'applications'>): string =>
  namedApplications(state)
    .map(({ appId, name }) => `${JSON.stringify({ app_id: appId, name })}\n`)
    .join('');

/** By this a commit recognizes the key of its pseudonyms. */
export const keyProofOf = (key: Buffer): string =>
  createHmac('sha256', key).update('key of a Plaza data set').digest('hex');
