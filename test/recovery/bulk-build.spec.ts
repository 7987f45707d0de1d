import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { servingWith } from '../../projections/groups.js';
import { Builds } from '../projections/support/builds.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { actors, histories, SocialHistory } from '../projections/support/social-history.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

describe('an incarnation built in bulk', () => {
  let postgres: TestPostgres;
  let builds: Builds;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    builds = Builds.open(await postgres.createReadStore());
  });
  afterAll(async () => {
    await builds.close();
    await postgres.stop();
  });

  /** The erased person and the round after which the erasure comes; beyond the last round: none. */
  const erasure = fc.record({ actorId: fc.constantFrom(...actors), after: fc.nat(40) });

  test.each([
    { fanOutThreshold: 0 },
    { fanOutThreshold: 1 },
    { fanOutThreshold: 500 },
    { fanOutThreshold: 500, kept: 3, copied: 1, stepSize: 1 },
  ])('equals the result of live application and of the log, with %j', async (settings) => {
    const group = servingWith(settings);
    await fc.assert(
      fc.asyncProperty(histories, erasure, async (history, { actorId, after }) => {
        const log = new MemoryLog();
        const [live, bulk] = [await builds.begin(group), await builds.begin(group)];
        const social = new SocialHistory();
        log.add(some.application('app'), ...actors.map((each) => some.account(each)));
        for (const [index, acts] of history.entries()) {
          for (const act of acts) {
            const intentId = `intent${index % 5}`;
            const by = 'by' in act ? act.by : 'ada';
            log.addWithMetadata({ appId: 'app', actorId: by, intentId }, ...social.eventsOf(act));
          }
          if (index % 3 === 0) await builds.build(log, live, { group });
          if (index !== after) continue;
          log.add(some.erasure(actorId));
          if (index % 2 === 0) await builds.build(log, live, { group });
          log.destroyKey(actorId);
        }
        log.add(some.applicationChange('app'));
        await builds.build(log, live, { group });
        await builds.build(log, bulk, { group });
        const of = async (each: typeof live) => {
          const { tables, differences } = await builds.verify(log, each, { group });
          expect(differences).toEqual([]);
          // A merged author stays merged and has no timeline rows: that depends on the order of application.
          return tables.filter(({ table }) => table !== 'timeline' && table !== 'merged_author');
        };
        expect(await of(bulk)).toEqual(await of(live));
        await builds.drop(live);
        await builds.drop(bulk);
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });
});
