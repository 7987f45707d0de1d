import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectInline } from '../../projections/authority/authority.projection.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { restrictionTypes } from '../../src/log/restrictions.js';
import type { RestrictionEvent } from '../../src/log/restrictions.js';
import { openReadStore } from '../../src/base/store/database.js';
import type { Postgres } from '../../src/base/store/postgres.js';
import { Builds } from '../projections/support/builds.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { ReadModels } from '../projections/support/read-models.js';
import { Recorder, some } from '../projections/support/recorded.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

/**
 * Restrictions, and the events that follow when their lost subjects register again in a restored log. For a deleted
 * post there are none: its intent is answered with the deletion.
 */
const lostSubjects: Readonly<Record<RestrictionEvent['type'], readonly [RestrictionEvent[], StoredEvent[]]>> =
  {
    'account.suspended': [[some.suspension('sue')], [some.account('sue'), some.suspension('sue')]],
    'account.reinstated': [[some.suspension('rei'), some.reinstatement('rei')], [some.account('rei')]],
    'account.erased': [[some.erasure('era')], [some.account('era')]],
    'application.suspended': [[some.applicationSuspension('sus')], [some.application('sus')]],
    'application.reinstated': [
      [some.applicationSuspension('rein'), some.applicationReinstatement('rein')],
      [some.application('rein')],
    ],
    'grant.revoked': [[some.revocation('g1')], [some.grant('g1')]],
    'post.deleted': [[some.deletion('p1')], []],
    'post.restricted': [[some.restriction('p2')], [some.post('p2')]],
    'post.unrestricted': [[some.restriction('p3'), some.unrestriction('p3')], [some.post('p3')]],
    'block.established': [[some.block('bea', 'bob')], [some.follow('bob', 'bea')]],
    'block.ended': [[some.block('ben', 'bob'), some.unblock('ben', 'bob')], [some.follow('bob', 'ben')]],
    'operator.suspended': [
      [some.operatorSuspension('osu')],
      [some.invitation('osu'), some.enrollment('osu')],
    ],
    'operator.reinstated': [
      [some.operatorSuspension('ore'), some.operatorReinstatement('ore')],
      [some.invitation('ore'), some.enrollment('ore')],
    ],
    'operator.roles_changed': [[some.roles('oro')], [some.invitation('oro'), some.enrollment('oro')]],
    'operator.token_revoked': [
      [some.tokenRevocation('oto', 't1')],
      [some.invitation('oto'), some.enrollment('oto'), some.tokenIssue('oto', 't1')],
    ],
    'operator.passkey_removed': [
      [some.passkeyRemoval('opa', 'k1')],
      [some.invitation('opa'), some.enrollment('opa'), some.passkey('opa', 'k1')],
    ],
    'network.shared_token_limited': [[some.sharedTokenLimit()], []],
    'operator.four_eyes_required': [[some.fourEyesRequirement()], []],
    'operator.four_eyes_lifted': [[some.fourEyesEnd(), some.fourEyesRequirement()], []],
  };

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

describe('restrictions of subjects that the log has lost', () => {
  it('change nothing in any read model when applied twice, nor do the events after them', async () => {
    const models = await ReadModels.open(await postgres.createDatabase());
    let witnessEpoch = 0;
    try {
      for (const type of restrictionTypes) {
        const [restrictions, anew] = lostSubjects[type];
        for (const each of restrictions)
          await models.givenWithMetadata({ witnessEpoch: ++witnessEpoch }, each);
        await models.given(...anew);
      }
      expect(await models.witnessEpoch()).toBe(witnessEpoch);
      const shown = `status = 'published' AND id IN ('p1', 'p3')`;
      expect(await models.count('post', shown)).toBe(1);
      expect(await models.count('restricted_post', `id = 'p2'`)).toBe(1);
      expect(await models.count('actor', `state = 'active' AND actor_id IN ('sue', 'rei', 'era')`)).toBe(1);
    } finally {
      await models.close();
    }
  });

  it('give the verification the same result, alone and with the events after them', async () => {
    const builds = Builds.open(await postgres.createReadStore());
    try {
      const log = new MemoryLog();
      log.add(some.founding('n'), some.account('ada'), some.account('bob'));
      const all = Object.values(lostSubjects);
      all.flatMap(([restrictions]) => restrictions).forEach((each, n) => log.addWitnessed(n + 1, each));
      const incarnation = await builds.begin();
      await builds.build(log, incarnation);
      expect((await builds.verify(log, incarnation)).differences).toEqual([]);
      log.add(...all.flatMap(([, anew]) => anew));
      await builds.build(log, incarnation);
      expect((await builds.verify(log, incarnation)).differences).toEqual([]);
      const anew = await builds.begin();
      await builds.build(log, anew);
      expect((await builds.verify(log, anew)).differences).toEqual([]);
    } finally {
      await builds.close();
    }
  });
});

describe('the authority of a subject that the log has lost', () => {
  let database: Postgres;

  beforeAll(async () => {
    const url = await postgres.createReadStore();
    database = await openReadStore({ url, applicationName: 'test', maxConnections: 2 });
  });
  afterAll(() => database?.close());

  const authorityStates = (): Promise<unknown> =>
    database.dataSource.query(`SELECT actor_id AS id, state FROM authority.account UNION ALL
      SELECT app_id, state FROM authority.application UNION ALL
      SELECT grant_id, CASE WHEN revoked_at IS NULL THEN 'live' ELSE 'ended' END FROM authority.app_grant UNION ALL
      SELECT token_id, CASE WHEN revoked_at IS NULL THEN 'live' ELSE 'ended' END FROM authority.operator_token UNION ALL
      SELECT passkey_id, CASE WHEN removed_at IS NULL THEN 'live' ELSE 'ended' END FROM authority.operator_passkey UNION ALL
      SELECT operator_id, CASE WHEN suspended THEN 'suspended' ELSE 'active' END FROM authority.operator
        WHERE operator_id IN ('osu', 'ore') UNION ALL
      SELECT operator_id, roles[1] FROM authority.operator WHERE operator_id = 'oro' UNION ALL
      SELECT 'shared', 'limited' FROM authority.shared_token UNION ALL
      SELECT 'four-eyes', batch_items::text FROM authority.four_eyes ORDER BY 1`);

  it('stays restricted when the subject registers or consents again, however often either is applied', async () => {
    const recorder = new Recorder();
    const expected = [
      { id: 'era', state: 'erased' },
      { id: 'four-eyes', state: '5' },
      { id: 'g1', state: 'ended' },
      { id: 'k1', state: 'ended' },
      { id: 'ore', state: 'active' },
      { id: 'oro', state: 'moderator' },
      { id: 'osu', state: 'suspended' },
      { id: 'rei', state: 'active' },
      { id: 'rein', state: 'active' },
      { id: 'shared', state: 'limited' },
      { id: 'sue', state: 'suspended' },
      { id: 'sus', state: 'suspended' },
      { id: 't1', state: 'ended' },
    ];
    const restrictions = Object.values(lostSubjects).flatMap(([events]) =>
      events.map((each) => recorder.record(each)),
    );
    const subjects = Object.values(lostSubjects).flatMap(([, events]) =>
      events.map((each) => recorder.record(each)),
    );
    for (const events of [restrictions, restrictions, subjects, subjects, restrictions]) {
      await projectInline(events, database.dataSource);
      expect(await authorityStates()).toEqual(expected);
    }
  });
});
