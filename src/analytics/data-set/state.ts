import { createHash } from 'node:crypto';
import { z } from 'zod';

const position = z.int().nonnegative();
const day = z.string().regex(/^\d{4}-\d\d-\d\d$/);

const dataFile = z.strictObject({
  /** Below the directory of the data set, with `/`. */
  path: z.string().regex(/^events\/day=[\d-]+\/\d+-\d+\.parquet$/),
  day,
  rows: z.int().positive(),
  first: position,
  last: position,
  lastEventId: z.string(),
  bytes: z.int().positive(),
  sha256: z.string(),
});

const state = z.strictObject({
  format: z.literal(1),
  number: z.int().positive(),
  committedAt: z.iso.datetime(),
  checkpoint: z.strictObject({ position, eventId: z.string() }).nullable(),
  personal: z.enum(['none', 'encrypted']),
  /** Unix milliseconds: older events are left out. */
  since: z.int().nullable(),
  /** Digest of the columns and treatments of the newest files. */
  shape: z.string(),
  applications: z.array(z.strictObject({ appId: z.string(), name: z.string(), position })),
  files: z.array(dataFile),
});

export type DataFile = z.infer<typeof dataFile>;
export type State = z.infer<typeof state>;

const commit = z.strictObject({ sha256: z.string(), state: z.unknown() });

/** Returns the text of a commit: the state with its own digest. */
export function commitText(content: State): string {
  return `{"sha256":"${digestOf(content)}","state":${JSON.stringify(content)}}\n`;
}

/** @throws {Error} the text is no commit, or was changed. */
export function parseCommit(text: string): State {
  const read = commit.parse(JSON.parse(text));
  if (read.sha256 !== digestOf(read.state)) throw new Error('its checksum does not match');
  return state.parse(read.state);
}

const digestOf = (content: unknown) => createHash('sha256').update(JSON.stringify(content)).digest('hex');

/** Files of NAME that analysts read beside the events: one JSON object a line. */
export const applicationLines = ({ applications }: Pick<State, 'applications'>): string =>
  applications.map(({ appId, name }) => `${JSON.stringify({ app_id: appId, name })}\n`).join('');
