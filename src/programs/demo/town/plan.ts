import { Random } from '../../../analytics/demo/random.js';
import { townspeople } from './townspeople.js';

/** Chooses who follows, likes and replies: nothing that must stay secret. */
const SEED = 20_260_601;

export const FEWEST_PEOPLE = 6;
const NEWEST = 7;

interface Townsperson {
  readonly handle: string;
  readonly displayName: string;
  readonly bio: string;
}

/** People by their index in the plan. */
export interface PlannedPost {
  readonly by: number;
  readonly text: string;
  /** Index in its thread of the post that it replies to. */
  readonly parent?: number;
  readonly editedTo?: string | undefined;
  readonly likedBy: readonly number[];
}

export interface TownPlan {
  readonly people: readonly Townsperson[];
  readonly follows: readonly { readonly from: number; readonly to: number }[];
  /** By who begins them. */
  readonly threads: readonly (readonly PlannedPost[])[];
  /** Threads that begin when the others have been written: the guest's timeline opens with them, and not with replies. */
  readonly newest: readonly number[];
}

/** The person to sign in with: follows the most, and has the fullest inbox. */
export const GUEST = 0;
/** Nobody follows them. The guest blocks them, and {@link REPORTER} reports their post. */
export const SPAMMER = 1;
export const REPORTER = 2;

const scripts = townspeople
  .trim()
  .split('\n\n')
  .map((script) => {
    const [head = '', text = '', ...lines] = script.split('\n');
    const [, handle = '', displayName = '', bio = ''] = /^@(\w+) (.+) \| (.+)$/.exec(head) ?? [];
    return { person: { handle, displayName, bio }, text, lines };
  });

export const MOST_PEOPLE = scripts.length;

/** The town of the first `size` people, the same in each run. */
export function planTown(size: number): TownPlan {
  const random = new Random(SEED);
  const chosen = scripts.slice(0, size);
  const everybody = chosen.map((_, index) => index).filter((index) => index !== SPAMMER);
  /** Different people, the first ones of the town more often. */
  const some = (count: number, ...without: readonly number[]): number[] => {
    const left = everybody.filter((index) => !without.includes(index));
    return Array.from({ length: Math.min(count, left.length) }, () => {
      const at = random.weighted(left.map((index) => 1 / (index + 6)));
      return left.splice(at, 1)[0] ?? GUEST;
    });
  };
  const follows = everybody.flatMap((from) =>
    some(from === GUEST ? 16 : 3 + random.count(3), from).map((to) => ({ from, to })),
  );
  const known = follows.flatMap(({ from, to }) => (from === GUEST ? [to] : []));
  const newest = known.slice(-NEWEST);
  return {
    people: chosen.map(({ person }) => person),
    follows,
    newest,
    threads: chosen.map(({ text, lines }, by) => {
      const liked = (author: number, mean: number) =>
        by === SPAMMER ? [] : some(random.count(mean), author);
      const isNewest = newest.includes(by);
      const replies = lines.filter((line) => line.startsWith('>') || (line.startsWith('<') && !isNewest));
      const others = some(replies.length, by, ...(isNewest ? known : []));
      const editedTo = lines.find((line) => line.startsWith('~'))?.slice(2);
      const thread: PlannedPost[] = [{ by, text, editedTo, likedBy: liked(by, 4) }];
      for (const [at, line] of replies.entries()) {
        const author = line.startsWith('<') ? by : (others[at] ?? GUEST);
        const parent = line.startsWith('<') ? thread.length - 1 : 0;
        thread.push({ by: author, text: line.slice(2), parent, likedBy: liked(author, 1) });
      }
      return thread;
    }),
  };
}
