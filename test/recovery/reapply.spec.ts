import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { evolveOperator, noOperator } from '../../src/domain/operator/operator.js';
import type { OperatorEvent } from '../../src/domain/operator/operator.js';
import type { RestrictionEvent } from '../../src/log/restrictions.js';
import { readBothLedgers } from '../../projections/incarnations/detect/read-ledgers.js';
import { missingRestrictions } from '../../projections/incarnations/detect/full-comparison.js';
import { reapply } from '../../src/recovery/apply/reapply.js';
import type { ReapplyTools } from '../../src/recovery/apply/reapply.js';
import { restrictionHash } from '../../src/log/witness/canonical.js';
import { resolveInDoubt } from '../../src/log/witness/resolve-in-doubt.js';
import type { Witness } from '../../src/log/witness/witness.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { openReadyWitness } from '../support/witness.js';

const stream = 'post-p';
const signal = new AbortController().signal;

let postgres: TestPostgres;
let witness: Witness;
let log: MemoryLog;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(async () => {
  await witness?.close();
  await postgres?.stop();
});

async function restrict(event: RestrictionEvent, stream = 'post-p'): Promise<void> {
  const restriction = { id: randomUUID(), stream, event, metadata: { requestId: 'test', operator: 'o' } };
  const { epoch, hash } = await witness.prepare(restriction, 0);
  const events = [{ ...restriction, metadata: { ...restriction.metadata, witnessEpoch: Number(epoch) } }];
  const expected = (await log.read(stream)).at(-1)?.revision ?? 'no_stream';
  const { position } = await log.append({ stream, expected, events, metadata: restriction.metadata });
  await witness.accept(restriction.id, { hash, position }, 0);
  await witness.finalize(restriction.id, 0);
}

async function givenAPost(): Promise<void> {
  await witness?.close();
  witness = await openReadyWitness(await postgres.createDatabase());
  log = new MemoryLog();
  log.add(some.post('p'));
}

/** A restriction and its lifting, which the log lost, and a later restriction. */
async function givenALaterRestriction(): Promise<void> {
  await givenAPost();
  await restrict(some.restriction('p'));
  await restrict(some.unrestriction('p'));
  log.rollBack(1);
  log.add(some.post('q'), some.post('r'), some.post('s'));
  await restrict(some.restriction('p'));
}

class Killed extends Error {}

/** Dependencies of a reapplication whose process dies after `calls` calls. */
function toolsKilledAfter(calls: number): ReapplyTools {
  const dying = <T extends object>(tool: T): T =>
    new Proxy(tool, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== 'function') return found;
        return async (...given: unknown[]) => {
          const answer: unknown = await found.apply(target, given);
          if (calls-- <= 0) throw new Killed();
          return answer;
        };
      },
    });
  return { log: dying<MemoryLog>(log), witness: dying(witness), ids: { uuid: randomUUID }, now: () => 1 };
}

async function reapplyMissing(tools: ReapplyTools): Promise<'done' | 'killed'> {
  try {
    const { logged } = await readBothLedgers(log, witness, signal);
    for await (const each of missingRestrictions(logged, witness)) await reapply(each, tools);
    return 'done';
  } catch (error) {
    if (error instanceof Killed) return 'killed';
    throw error;
  }
}

describe('restrictions that are appended again', () => {
  it('never undo a later one, whichever step the process is killed at', async () => {
    let killings = 0;
    for (let outcome: 'done' | 'killed' = 'killed'; outcome === 'killed'; killings += 1) {
      await givenALaterRestriction();
      outcome = await reapplyMissing(toolsKilledAfter(killings));
      expect(await reapplyMissing(toolsKilledAfter(Infinity))).toBe('done');
      for (const each of await witness.unsettled(10, 0n, 100)) await resolveInDoubt(log, witness, each, 2);

      const there = (await log.read(stream)).filter(({ event }) => event.type !== 'post.created');
      expect(there.at(-1)?.event.type).toBe('post.restricted');
      const known = await witness.after(0n, 100);
      const byEpoch = (epoch: number) => known.find((each) => each.epoch === BigInt(epoch));
      for (const { id, event, metadata, position } of there)
        expect(byEpoch(metadata.witnessEpoch ?? 0)).toMatchObject({
          state: 'finalized',
          position,
          hash: restrictionHash({ stream, event: event as RestrictionEvent, metadata }),
          restriction: { id },
        });
      expect(there).toHaveLength(known.length);
    }
    expect(killings).toBeGreaterThan(5);
  });

  it('include a lifting whose restriction the log still has', async () => {
    await givenAPost();
    await restrict(some.restriction('p'));
    await restrict(some.unrestriction('p'));
    log.rollBack(2);
    expect(await reapplyMissing(toolsKilledAfter(Infinity))).toBe('done');
    const types = (await log.read(stream)).map(({ event }) => event.type);
    expect(types).toEqual(['post.created', 'post.restricted', 'post.unrestricted']);
  });

  it('leave an operator the newest roles, and undo neither suspension nor revocation', async () => {
    await givenAPost();
    const operator = 'plaza_operator-o';
    log.add(some.invitation('o'), some.enrollment('o'), some.tokenIssue('o', 't'));
    await restrict(some.roles('o', ['viewer']), operator);
    await restrict(some.operatorSuspension('o'), operator);
    await restrict(some.tokenRevocation('o', 't'), operator);
    log.rollBack(4);
    await restrict(some.roles('o', ['auditor']), operator);
    await restrict(some.tokenRevocation('o', 'u'), operator);
    expect(await reapplyMissing(toolsKilledAfter(Infinity))).toBe('done');
    const events = (await log.read(operator)).map(({ event }) => event as OperatorEvent);
    expect(events.reduce(evolveOperator, noOperator)).toMatchObject({
      status: 'suspended',
      roles: ['auditor'],
      revokedTokens: expect.arrayContaining(['t', 'u']),
    });
  });
});
