import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { followersOf, followingOf, ownRelations } from '../../projections/relations/relations.read-model.js';
import type { PageArgs, ScannedPage } from '../../projections/runner/page-query.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

const OTHERS = 8;

/** An act towards one of the others. `at`: its time, by clocks that differ. */
const act = fc.record({
  what: fc.constantFrom('follow', 'unfollow', 'block', 'unblock', 'follow'),
  other: fc.nat(OTHERS - 1),
  at: fc.integer({ min: 1, max: 6 }),
});
const acts = fc.array(act, { maxLength: 6 });
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

/** A list of relations, its query, and the two actors of a relation in it. */
interface List {
  readonly name: string;
  readonly reader: (run: string) => string;
  readonly ask: (models: ReadModels, run: string, page: PageArgs) => Promise<ScannedPage<string> | null>;
  readonly ends: (run: string, other: string) => [string, string];
}

const itemsAs = <Item>(scanned: ScannedPage<Item> | null, nameOf: (item: Item) => string) =>
  scanned && { ...scanned, items: scanned.items.map(({ key, item }) => ({ key, item: nameOf(item) })) };

const lists: readonly List[] = [
  {
    name: 'relations of the caller',
    reader: (run) => `ada-${run}`,
    ask: async (models, run, page) =>
      itemsAs(await models.ask(ownRelations, page, `ada-${run}`), ({ targetId }) => targetId),
    ends: (run, other) => [`ada-${run}`, other],
  },
  ...(
    [
      ['actors that an actor follows', followingOf, (run: string, other: string) => [`ada-${run}`, other]],
      ['followers of an actor', followersOf, (run: string, other: string) => [other, `ada-${run}`]],
    ] as const
  ).map(([name, query, ends]): List => ({
    name,
    reader: (run) => `eve-${run}`,
    ask: async (models, run, page) =>
      itemsAs(
        await models.ask(query, { actorId: `ada-${run}`, ...page }, `eve-${run}`),
        ({ actorId }) => actorId,
      ),
    ends: (run, other) => ends(run, other) as [string, string],
  })),
];

/** The expected state: the active generation of each relation, and the actors that the reader blocks. */
class Model {
  readonly activeGenerations = new Map<string, number>();
  readonly blocked = new Set<string>();
  private readonly generations = new Map<string, number>();

  constructor(
    private readonly models: ReadModels,
    private readonly list: List,
    private readonly run: string,
  ) {}

  /** Applies the acts that change something. */
  async execute(steps: readonly Act[]): Promise<void> {
    const events = steps.flatMap((step) => this.eventsOf(step));
    if (events.length > 0) await this.models.givenInOneBatch(...events);
  }

  /** The visible relations with their generation. */
  expectedItems(): readonly string[] {
    return [...this.activeGenerations]
      .filter(([other]) => !this.blocked.has(other))
      .map(([other, generation]) => `${other}/${generation}`);
  }

  private eventsOf({ what, other: index, at }: Act): readonly StoredEvent[] {
    const other = `o${index}-${this.run}`;
    const [actorId, targetId] = this.list.ends(this.run, other);
    const reader = this.list.reader(this.run);
    const standing = this.activeGenerations.get(other);
    if (what === 'follow' && standing === undefined) {
      const generation = (this.generations.get(other) ?? 0) + 1;
      this.generations.set(other, generation);
      this.activeGenerations.set(other, generation);
      return [some.follow(actorId, targetId, { generation, at })];
    }
    if (what === 'unfollow' && standing !== undefined) {
      this.activeGenerations.delete(other);
      return [some.unfollow(actorId, targetId, { generation: standing })];
    }
    if (what === 'block' && !this.blocked.has(other)) {
      this.blocked.add(other);
      return [some.block(reader, other)];
    }
    if (what === 'unblock' && this.blocked.delete(other)) return [some.unblock(reader, other)];
    return [];
  }
}

describe('pages of relations, while others write', () => {
  let postgres: TestPostgres;
  let models: ReadModels;
  let runs = 0;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    models = await ReadModels.open(await postgres.createDatabase());
  });
  afterAll(async () => {
    await models.close();
    await postgres.stop();
  });

  test.each(lists)('show each lasting relation once, none twice and no newer one: $name', async (list) => {
    await fc.assert(
      fc.asyncProperty(
        acts,
        fc.array(acts, { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (before, between, scan) => {
          const run = String(runs++);
          const actors = ['ada', 'eve', ...Array.from({ length: OTHERS }, (_, index) => `o${index}`)];
          await models.givenInOneBatch(...actors.map((name) => some.account(`${name}-${run}`)));
          const model = new Model(models, list, run);
          await model.execute(
            [...Array(OTHERS).keys()].map((other) => ({ what: 'follow', other, at: (other % 3) + 2 })),
          );
          await model.execute(before);

          const atFirst = new Set(
            [...model.activeGenerations].map(([other, generation]) => `${other}/${generation}`),
          );
          let throughout = model.expectedItems();
          const seen: string[] = [];
          let after: PageArgs['after'];
          for (let page = 0; ; page++) {
            const scanned = await list.ask(models, run, { scan, after });
            seen.push(
              ...(scanned?.items ?? []).map(({ item }) => `${item}/${model.activeGenerations.get(item)}`),
            );
            expect(scanned?.items.length).toBeLessThanOrEqual(scan);
            if (!scanned?.last) break;
            after = scanned.last;
            await model.execute(between[page] ?? []);
            const shownNow = model.expectedItems();
            throughout = throughout.filter((relation) => shownNow.includes(relation));
          }
          const actorsSeen = seen.map((relation) => relation.split('/')[0]);
          expect(new Set(actorsSeen).size).toBe(actorsSeen.length);
          expect(seen.filter((relation) => !atFirst.has(relation))).toEqual([]);
          expect(throughout.filter((relation) => !seen.includes(relation))).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
