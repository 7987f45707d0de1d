/**
 * All orders of acts about one reported post, by two operators and the shared token, up to a number of acts: the real
 * commands on a log in memory, beside the rule in other words.
 */
import { expect, it } from '@jest/globals';
import { Refusal } from '../../src/domain/refusal.js';
import { isSampled } from '../support/sample.js';
import { AppealsWorld, isRecusal, operators, SHARED } from './appeals.js';
import type { Act } from './appeals.js';

/** The worker reports, the person appeals. */
const acts: readonly Act[] = [
  ['report'],
  ['appeal'],
  ['undo', 'root'],
  ['restrict', SHARED],
  ['batch', SHARED],
  ...operators.flatMap((by): Act[] =>
    (['claim', 'decide', 'clear', 'reopen', 'overturn', 'restrict', 'batch'] as const).map((name) => [
      name,
      by,
    ]),
  ),
];

/** From the report to a second decision after the overturn are nine. */
const ACTS = isSampled ? 6 : 9;

/** A decision as the rule sees it. */
interface Told {
  readonly by: string;
  readonly is: 'made' | 'appealed' | 'overturned' | 'decided anew';
}

const isRecused = (told: readonly Told[], by: string | undefined): boolean =>
  told.some(
    (each) => (each.is === 'appealed' || each.is === 'overturned') && (by === SHARED || by === each.by),
  );

/** The decisions after an act that changed something. */
function after(told: readonly Told[], [name, by = '']: Act): readonly Told[] {
  if (name === 'decide' || name === 'clear') {
    const older = told.map((each): Told =>
      each.is === 'overturned' && each.by !== by ? { ...each, is: 'decided anew' } : each,
    );
    // Nobody appeals that there was no violation.
    return [...older, { by, is: name === 'decide' ? 'made' : 'decided anew' }];
  }
  const [at, is] =
    name === 'appeal'
      ? ([told.findLastIndex((each) => each.is === 'made'), 'appealed'] as const)
      : ([told.findIndex((each) => each.is === 'appealed' && each.by !== by), 'overturned'] as const);
  return name === 'appeal' || name === 'overturn' ? told.with(at, { ...told[at]!, is }) : told;
}

const restricting: ReadonlySet<string> = new Set(['reopen', 'decide', 'clear', 'restrict', 'batch']);

interface Reached {
  readonly world: AppealsWorld;
  readonly told: readonly Told[];
  readonly path: readonly Act[];
}

/** Returns the states that are one act further, and what is wrong there. */
async function beyond({ world, told, path }: Reached) {
  const reached: Reached[] = [];
  const faults: string[] = [];
  let refused = 0;
  for (const act of acts) {
    const [name, by] = act;
    const fault = (what: string) =>
      faults.push(`${what}: ${[...path, act].map((each) => each.join(' ')).join(', ')}`);
    const next = world.copy();
    const isLeftToOthers = isRecused(told, by);
    try {
      if (!(await next.perform(act))) continue;
      if (isLeftToOthers && restricting.has(name)) fault('not refused');
      const isNamed = (await next.hiding()).length > 0;
      if ((await next.isHidden()) !== isNamed) fault(isNamed ? 'named and not hidden' : 'hidden by nothing');
      reached.push({ world: next, told: after(told, act), path: [...path, act] });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!isRecusal(error)) continue;
      refused += 1;
      if (!isLeftToOthers) fault('refused for a decision that is not in dispute');
    }
  }
  return { reached, faults, refused };
}

it('leave a post to others after an appeal, and name what hides it', async () => {
  const known = new Set<string>();
  let states: readonly Reached[] = [{ world: AppealsWorld.first(), told: [], path: [] }];
  let refused = 0;
  for (let acted = 1; acted <= ACTS; acted++) {
    const next: Reached[] = [];
    for (const state of states) {
      const found = await beyond(state);
      expect(found.faults).toEqual([]);
      refused += found.refused;
      for (const each of found.reached) {
        const key = JSON.stringify([each.told, await each.world.key()]);
        if (known.has(key)) continue;
        known.add(key);
        next.push(each);
      }
    }
    states = next;
  }
  expect(refused).toBeGreaterThan(50);
});
