import { describe, expect, it } from '@jest/globals';
import { actTable } from '../../entrances/table.js';
import type { Role } from '../../../domain/operator/roles.js';
import type { RecoveryPlan } from '../../../recovery/plan/recovery-plan.js';
import type { Overview } from '../answers.js';
import type { Frame } from '../../desk/page.js';
import { overviewPage } from './overview.page.js';
import { planPage, recoveryPage } from './recovery.page.js';
import { bringActs } from '../../console/may.js';

bringActs(actTable);

const frameOf = (...roles: Role[]): Frame => ({
  proof: 'proof',
  session: { operatorId: 'grace', passkeyId: 'phone', name: 'Grace', roles, expiresAt: 2 },
});

const reason = 'The log lacks 2 restrictions, accepted by the witness.';
const missing = {
  count: 2,
  byType: { 'post.deleted': 2 },
  first: [{ epoch: 7, type: 'post.deleted', stream: 'post-p', at: 1 }],
} as const;

const plan: RecoveryPlan = {
  state: 'quarantined',
  reason,
  isNeeded: true,
  refused: null,
  needsReseed: false,
  restrictions: missing,
  unsettled: 1,
  rebuild: { events: 30, eventsPerSecond: 10, seconds: 3 },
  lost: 'Posts are lost.',
};

const FORM = 'action="/console/recovery/apply"';
const RESEED = /name="reseedWitness"[^>]*required/;

describe('on the day of a restore', () => {
  it('the overview says why nothing is served, and leads to the plan', () => {
    const components = { readModels: { status: 'failed', reason: `In quarantine: ${reason}` } };
    const overview: Overview = {
      readiness: { status: 'failed', components } as Overview['readiness'],
      quarantine: reason,
      incarnation: 'i-1',
      witnessEpoch: 8,
      unsettled: 1,
      projections: null,
      lag: null,
      isPublishingPaused: null,
      registration: null,
      newestJob: null,
      unfinishedBatches: null,
      activity: null,
      busiest: null,
      changedIdentities: null,
      counts: null,
      cases: null,
      oldCases: null,
      erasures: null,
    };
    const page = overviewPage(frameOf('viewer'), overview);
    expect(page).toContain('The network is NOT READY');
    expect(page).toContain(`In quarantine: ${reason}`);
    expect(page).toContain('href="/console/recovery/plan"');
    expect(page).toContain('plaza recovery plan');
  });

  it('the plan shows steps, duration and losses, and its form to who may recover', () => {
    const page = planPage(frameOf('administrator'), plan);
    for (const shown of [
      reason,
      'append 2 missing',
      'about 3 s',
      'Posts are lost.',
      '/console/log/post-p',
      FORM,
    ])
      expect(page).toContain(shown);
    expect(page).not.toMatch(RESEED);
    expect(planPage(frameOf('viewer'), plan)).not.toContain(FORM);
  });

  it('a lost witness is recorded again only if the operator ticks it', () => {
    expect(planPage(frameOf('administrator'), { ...plan, needsReseed: true })).toMatch(RESEED);
  });

  it('a blocked plan has the obstacle and no form', () => {
    const page = planPage(frameOf('administrator'), { ...plan, refused: 'The log belongs to network x.' });
    expect(page).toContain('Blocked: The log belongs to network x.');
    expect(page).not.toContain(FORM);
  });

  it('the status names what is wrong with log and witness', () => {
    const page = recoveryPage(frameOf('viewer'), {
      state: 'quarantined',
      reason,
      incarnation: 'i-1',
      networkId: 'n-1',
      witnessFault: null,
      jobs: [],
      witness: {
        epochs: { witness: 8, log: 6, readModel: 8 },
        unsettled: 1,
        brokenLine: 4,
        unwitnessed: 3,
        onlyShown: 5,
        setBack: 'it ends at 9',
        missing,
      },
      retired: [{ incarnation: 'i-0', retiredAt: 1, keptUntil: 2, refused: null }],
    });
    for (const shown of ['line 4', 'it ends at 9', 'lacks 3 restrictions', 'lack 5 restrictions', 'i-0'])
      expect(page).toContain(shown);
    expect(page).not.toContain('action="/console/recovery/rollback"');
  });
});
