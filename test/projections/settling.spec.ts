import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { servingWith } from '../../projections/groups.js';
import { inboxOf } from '../../projections/inbox/inbox.read-model.js';
import { actorById } from '../../projections/profile/profile.read-model.js';
import { reconcile } from '../../projections/reconcile/reconcile.read-model.js';
import { followersOf, followingOf } from '../../projections/relations/relations.read-model.js';
import { timelineOf } from '../../projections/timeline/timeline.read-model.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';
import { act, actors, SocialHistory } from './support/social-history.js';
import type { Act } from './support/social-history.js';

let postgres: TestPostgres;
let database: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
});
afterAll(() => postgres.stop());

const by = fc.constantFrom(...actors);

/** More follows, marks and suspensions than elsewhere. */
const acts: fc.Arbitrary<Act> = fc.oneof(
  act,
  fc.record({ does: fc.constantFrom('follow', 'follow', 'unfollow' as const), by, whom: by }),
  fc.record({ does: fc.constantFrom('suspend', 'reinstate', 'read' as const), by }),
);

/** Each round is a batch, perhaps with an erasure at its end, and the steps that follow it. */
const rounds = fc.array(
  fc.record({
    batch: fc.array(acts, { minLength: 1, maxLength: 6, size: 'max' }),
    erased: fc.oneof({ weight: 14, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: by }),
    steps: fc.nat(2),
  }),
  { minLength: 5, maxLength: 15, size: 'max' },
);

/** `callers`: without erased people, as whom nobody asks. */
async function shownBy(models: ReadModels, callers: Iterable<string>): Promise<unknown> {
  const page = { scan: 50, after: undefined };
  const shown: unknown[] = [];
  for (const actorId of actors)
    shown.push(
      await models.ask(actorById, { actorId }),
      await models.ask(followersOf, { actorId, ...page }),
      await models.ask(followingOf, { actorId, ...page }),
    );
  for (const actorId of callers)
    shown.push(
      await models.ask(timelineOf, page, actorId),
      await models.ask(inboxOf, page, actorId),
      await models.ask(reconcile, { cursor: undefined }, actorId),
    );
  return shown;
}

test('after any history, reads show the same whatever steps of one row are left', async () => {
  const property = fc.asyncProperty(rounds, async (history) => {
    const inSteps = await ReadModels.open(database, servingWith({ fanOutThreshold: 500, stepSize: 1 }));
    const settled = await ReadModels.open(database);
    const social = new SocialHistory();
    const callers = new Set<string>(actors);
    try {
      for (const models of [inSteps, settled])
        await models.givenInOneBatchOnce(
          some.application('app'),
          ...actors.map((actorId) => some.account(actorId)),
        );
      for (const { batch, erased, steps } of history) {
        const events = batch.flatMap((each) => social.eventsOf(each));
        if (erased) events.push(social.erase(erased));
        callers.delete(erased ?? '');
        await inSteps.givenInOneBatchOnce(...events);
        for (const event of events) {
          await settled.givenInOneBatchOnce(event);
          await settled.settle();
        }
        const expected = await shownBy(settled, callers);
        for (let step = 0; step <= steps; step++) {
          expect(await shownBy(inSteps, callers)).toEqual(expected);
          await inSteps.settle(1);
        }
        for (const actorId of actors) {
          const counts = social.countsOf(actorId);
          const actor = await inSteps.ask(actorById, { actorId });
          expect(actor && { following: actor.following, followers: actor.followers }).toEqual(counts ?? null);
        }
      }
      await inSteps.settle();
      expect(await shownBy(inSteps, callers)).toEqual(await shownBy(settled, callers));
      expect(await inSteps.count('inbox_mark', 'true')).toBe(0);
    } finally {
      await inSteps.close();
      await settled.close();
    }
  });
  await fc.assert(property, { numRuns: 12, unbiased: true, endOnFailure: true });
});
