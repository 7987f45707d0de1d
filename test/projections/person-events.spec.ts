import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from '@jest/globals';
import { auditGroup } from '../../projections/audit/audit.projection.js';
import { auditPosition, MAX_CANDIDATES } from '../../projections/audit/audit.read-model.js';
import type { AuditCursor } from '../../projections/audit/audit.read-model.js';
import { eventsOfPerson } from '../../projections/audit/person.read-model.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { MemoryLog } from './support/memory-log.js';
import { some } from './support/recorded.js';
import { WorkerBench } from './support/worker.js';

const ada = {
  actorId: 'ada',
  caused: ['relation.established', 'block.established'],
  concerning: ['account.registered', 'account.suspended'],
};

describe('the events of a person', () => {
  let postgres: TestPostgres;
  let bench: WorkerBench;
  let log: MemoryLog;

  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    bench = WorkerBench.open(await postgres.createReadStore());
    log = new MemoryLog();
  });
  afterEach(() => bench.close());

  const by = (actorId: string, event: StoredEvent) => log.addWithMetadata({ actorId }, event);

  async function applyAll(): Promise<void> {
    const head = await log.head();
    const worker = bench.startWithOwnTables(log, auditGroup, 'audit');
    await until(async () => (await auditPosition(bench.pool))?.position === head);
    await worker.stop();
  }

  /** All pages: the types of each, newest first. */
  async function pages(limit: number, upTo?: { position: bigint; eventId: string }) {
    const found: (readonly string[])[] = [];
    for (let before: AuditCursor | undefined; ;) {
      const page = await eventsOfPerson(bench.pool, ada, { before, limit, upTo });
      if (!page) return undefined;
      found.push(page.events.map(({ type }) => type));
      before = page.next;
      if (!before) return found;
    }
  }

  test('are those that they caused, and those about them that somebody else may cause', async () => {
    by('ada', some.account('ada'));
    by('ada', some.follow('ada', 'bob'));
    by('bob', some.follow('bob', 'ada'));
    by('bob', some.block('bob', 'ada'));
    log.addWithMetadata({ operatorId: 'grace' }, some.suspension('ada'));
    log.addWithMetadata({ operatorId: 'grace' }, some.suspension('bob'));
    by('ada', some.block('ada', 'cyd'));
    await applyAll();
    const all = ['block.established', 'relation.established', 'account.suspended', 'account.registered'];
    expect(await pages(10)).toEqual([all]);
    expect(await pages(3)).toEqual([all.slice(0, 3), all.slice(3)]);
  });

  test('lie behind short pages, where others caused most events about them', async () => {
    by('ada', some.follow('ada', 'bob'));
    for (let n = 0; n < MAX_CANDIDATES; n++) by(`p${n}`, some.follow(`p${n}`, 'ada'));
    await applyAll();
    expect(await pages(10)).toEqual([[], ['relation.established']]);
  });

  test('end at an event that the audit must have', async () => {
    by('ada', some.follow('ada', 'bob'));
    by('ada', some.block('ada', 'cyd'));
    await applyAll();
    const [first] =
      (await eventsOfPerson(bench.pool, ada, { before: undefined, limit: 10 }))?.events.slice(-1) ?? [];
    if (!first) throw new Error('the first event is missing');
    expect(await pages(10, first)).toEqual([['relation.established']]);
    await bench.pool.query('DELETE FROM audit.event WHERE position = $1', [String(first.position)]);
    expect(await pages(10, first)).toBeUndefined();
  });
});
