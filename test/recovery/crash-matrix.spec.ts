import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { LogUnavailable } from '../../src/log/event-log.js';
import { InDoubtResolver } from '../../src/background/in-doubt-resolver.js';
import type { RestrictionState } from '../../src/log/witness/witness.js';
import { writingSteps } from '../../src/log/witness/witnessed-log.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { sampleOf } from '../support/sample.js';
import type { Attempt } from './support/crash-process.js';
import { killWhenAllHeld } from './support/killed-process.js';
import { scenarios } from './support/scenarios.js';
import type { ScenarioType } from './support/scenarios.js';
import { openCommandBench } from './support/command-bench.js';
import type { Stores, CommandBench } from './support/command-bench.js';

const restrictionTypes = Object.keys(scenarios) as ScenarioType[];

/** The first event after the crash. */
const aftermaths = ['the resolver runs', 'it is retried', 'the log is unavailable'] as const;

/** In a sample two of each, with every aftermath. */
const types = sampleOf(restrictionTypes, 2);
const steps = sampleOf(writingSteps, 2);

const points = steps.flatMap((step) =>
  types.flatMap((type) =>
    aftermaths.map((aftermath, n) => {
      const key = `${type.replace('.', '-')}-${step}-${n}`;
      return { step, type, aftermath, key, name: `${type}, killed when ${step}: ${aftermath}` };
    }),
  ),
);
type Point = (typeof points)[number];

/** The ids of the restriction in the log, and its states in the witness by id. */
interface RestrictionTrace {
  readonly logged: readonly string[];
  readonly witnessed: Readonly<Record<string, RestrictionState>>;
}

let postgres: TestPostgres;
let eventStore: EmbeddedEventStore;
let bench: CommandBench;
let resolver: InDoubtResolver;
/** Traces by the name of their point. */
const crashed = new Map<string, RestrictionTrace>();
const whileLogIsAway = new Map<string, PromiseSettledResult<unknown>>();
let outageOfResolver: unknown;
const resolved = new Map<string, RestrictionTrace>();
const repeated = new Map<string, RestrictionTrace>();

const act = ({ type, key }: Point) => scenarios[type].act(bench.commands(), key);
const withAftermath = (aftermath: (typeof aftermaths)[number]) =>
  points.filter((point) => point.aftermath === aftermath);

async function recordTraces(at: readonly Point[], into: Map<string, RestrictionTrace>): Promise<void> {
  const known = [
    ...(await bench.witness.unsettled(Number.MAX_SAFE_INTEGER, 0n, 10_000)),
    ...(await bench.witness.after(0n, 10_000)),
  ];
  for (const { type, key, name } of at) {
    const stream = scenarios[type].stream(key);
    const logged = (await bench.raw.read(stream)).filter(({ event }) => event.type === type);
    const witnessed = known.filter(
      ({ restriction }) => restriction.stream === stream && restriction.event.type === type,
    );
    into.set(name, {
      logged: logged.map(({ id }) => id),
      witnessed: Object.fromEntries(witnessed.map(({ state, restriction }) => [restriction.id, state])),
    });
  }
}

/** Runs a process that attempts all of these, and kills it once each has reached the step. */
async function crash(step: Point['step'], stores: Stores): Promise<void> {
  const attempts: readonly Attempt[] = points.filter((point) => point.step === step);
  const wanted = attempts.map(({ type, key }) => ({ type, key }));
  await killWhenAllHeld('crash-process.ts', [step, stores, wanted], attempts.length);
}

beforeAll(async () => {
  [postgres, eventStore] = await Promise.all([startTestPostgres(), startEmbeddedEventStore()]);
  const stores = {
    eventStoreUrl: eventStore.url,
    databaseUrl: await postgres.createReadStore(),
    vaultDatabaseUrl: await postgres.createDatabase(),
    witnessDatabaseUrl: await postgres.createDatabase(),
  };
  bench = await openCommandBench(stores, 'test');
  const { raw: log, witness } = bench;
  const nothing = new Set<string>();
  resolver = new InDoubtResolver({
    log,
    witness,
    shown: () => Promise.resolve(nothing),
    now: Date.now,
    lockUrl: stores.witnessDatabaseUrl,
    logger: pino({ level: 'silent' }),
  });
  for (const { type, key } of points) await scenarios[type].prepare(bench, key);
  for (const step of steps) await crash(step, stores);
  await recordTraces(points, crashed);

  for (const point of withAftermath('it is retried')) await act(point);
  await recordTraces(withAftermath('it is retried'), repeated);

  const { dir, port } = eventStore;
  await eventStore.kill();
  outageOfResolver = await resolver.settleBefore(Date.now()).catch((error: unknown) => error);
  const away = withAftermath('the log is unavailable');
  const tries = await Promise.allSettled(away.map(act));
  for (const [index, { name }] of away.entries()) whileLogIsAway.set(name, tries[index]!);
  eventStore = await startEmbeddedEventStore({ dir, port });

  await resolver.settleBefore(Date.now());
  await recordTraces(points, resolved);
  for (const point of [...withAftermath('the resolver runs'), ...away]) await act(point);
  await recordTraces([...withAftermath('the resolver runs'), ...away], repeated);
});

afterAll(async () => {
  await bench?.close();
  await eventStore?.stop();
  if (eventStore) await rm(eventStore.dir, { recursive: true, force: true });
  await postgres?.stop();
});

/** The expected trace after each step. */
const stateAfter: { readonly [Step in Point['step']]: { isThere: boolean; state?: RestrictionState } } = {
  decided: { isThere: false },
  prepared: { isThere: false, state: 'prepared' },
  appended: { isThere: true, state: 'prepared' },
  accepted: { isThere: true, state: 'accepted' },
  finalized: { isThere: true, state: 'finalized' },
};

describe('a restriction whose process dies before acknowledging it', () => {
  it(`is tried for every type, at every step, with every aftermath: ${points.length} times`, () => {
    expect(crashed.size).toBe(types.length * steps.length * aftermaths.length);
  });

  describe.each(types)('%s', (type) => {
    const ofType = points.filter((point) => point.type === type);

    it('keeps the state of the last finished step', () => {
      for (const { step, name } of ofType) {
        const { isThere, state } = stateAfter[step];
        const { logged = [], witnessed = {} } = crashed.get(name) ?? {};
        expect([name, logged.length, Object.values(witnessed)]).toEqual([
          name,
          isThere ? 1 : 0,
          state === undefined ? [] : [state],
        ]);
        // Log and witness have the same id.
        expect([name, ...logged]).toEqual([name, ...(isThere ? Object.keys(witnessed) : [])]);
      }
    });

    it('is not acknowledged while the log is unavailable', () => {
      for (const { name } of ofType.filter(({ aftermath }) => aftermath === 'the log is unavailable'))
        expect([name, whileLogIsAway.get(name)]).toEqual([
          name,
          { status: 'rejected', reason: expect.any(LogUnavailable) },
        ]);
    });

    it('is finalized if the log has it, else withdrawn', () => {
      for (const { aftermath, name, step } of ofType) {
        const { logged } = (aftermath === 'it is retried' ? repeated : crashed).get(name) ?? {};
        const isThere = aftermath === 'it is retried' || stateAfter[step].isThere;
        const witnessed = isThere ? { [String(logged?.[0])]: 'finalized' } : {};
        expect([name, resolved.get(name)]).toEqual([name, { logged, witnessed }]);
      }
    });

    it('exists once and is finalized after a retry', () => {
      for (const { name, step } of ofType) {
        const { logged = [], witnessed = {} } = repeated.get(name) ?? {};
        expect([name, logged.map((id) => witnessed[id])]).toEqual([name, ['finalized']]);
        const first = stateAfter[step].isThere ? crashed.get(name)?.logged : logged;
        expect([name, logged]).toEqual([name, first]);
      }
    });
  });

  it('leaves no key of an erased person', async () => {
    const erased = points.filter(({ type }) => type === 'account.erased').map(({ key }) => key);
    expect(await bench.vault.notDestroyed(erased)).toEqual([]);
  });

  it('stays in doubt while the log is unavailable', () => {
    expect(outageOfResolver).toBeInstanceOf(LogUnavailable);
  });

  it('leaves the chain of the witness intact', async () => {
    expect(await bench.witness.firstBroken()).toBeUndefined();
  });
});
