import { describe, expect, it } from '@jest/globals';
import { ProcessMetrics } from '../../base/telemetry/process-metrics.js';
import { Metrics } from './metrics.js';
import type { NetworkStatus } from './metrics.js';

const nothing: NetworkStatus = {
  isLogUp: false,
  isLogFull: false,
  isDatabaseFull: false,
  status: undefined,
  state: undefined,
  unsettled: undefined,
  rewrites: undefined,
  cases: undefined,
  oldCases: undefined,
  unproven: undefined,
  isLogCompared: true,
  job: undefined,
};

const serving: NetworkStatus = {
  isLogUp: true,
  isLogFull: false,
  isDatabaseFull: false,
  status: {
    incarnation: 'one',
    quarantine: null,
    projections: [{ name: 'posts', version: 1, position: 700, lag: 0 }],
  },
  state: {
    incarnation: 'one',
    schemaName: 'inc_one',
    status: 'serving',
    reason: null,
    networkId: 'n',
    appliedPosition: 700n,
    appliedEventId: 'e',
    witnessEpoch: 3n,
    versions: {},
  },
  unsettled: 2,
  rewrites: [
    { store: 'read', table: 'authority.account', state: 'checkpoint', seconds: 60 },
    { store: 'vault', table: 'public.person_key', state: 'rewrite', seconds: 0 },
  ],
  cases: { open: 3, claimed: 1, appealed: 0 },
  oldCases: { low: 0, medium: 0, high: 2, critical: 0 },
  unproven: undefined,
  isLogCompared: true,
  job: undefined,
};

/** The metrics of the network, without those of the process. */
const linesOf = async (metrics: Metrics, findings: NetworkStatus): Promise<string[]> =>
  (await metrics.text(findings)).split('\n').filter((line) => line.startsWith('plaza_'));

describe('metrics', () => {
  it('report the state of the network', async () => {
    expect(await linesOf(new Metrics(new ProcessMetrics()), serving)).toEqual([
      'plaza_store_up{store="read"} 1',
      'plaza_store_up{store="witness"} 1',
      'plaza_store_up{store="log"} 1',
      'plaza_log_disk_full 0',
      'plaza_database_disk_full 0',
      'plaza_read_models{state="missing"} 0',
      'plaza_read_models{state="serving"} 1',
      'plaza_read_models{state="quarantined"} 0',
      'plaza_log_compared 1',
      'plaza_incarnation_info{incarnation="one"} 1',
      'plaza_witness_epoch 3',
      'plaza_unsettled_restrictions 2',
      'plaza_erasure_pending_tables{state="rewrite"} 1',
      'plaza_erasure_pending_tables{state="large"} 0',
      'plaza_erasure_pending_tables{state="checkpoint"} 1',
      'plaza_erasure_pending_seconds 60',
      'plaza_open_cases{state="open"} 3',
      'plaza_open_cases{state="claimed"} 1',
      'plaza_open_cases{state="appealed"} 0',
      ...['low', 'medium'].map((severity) => `plaza_old_cases{severity="${severity}"} 0`),
      'plaza_old_cases{severity="high"} 2',
      'plaza_old_cases{severity="critical"} 0',
      'plaza_projection_position{projection="posts"} 700',
      'plaza_projection_lag_bytes{projection="posts"} 0',
    ]);
  });

  it('report why reads are refused and the progress of a recovery, and reset when it is over', async () => {
    const metrics = new Metrics(new ProcessMetrics());
    const told = await linesOf(metrics, {
      ...serving,
      state: serving.state ? { ...serving.state, status: 'quarantined', reason: 'the log has "x"' } : null,
      unproven: 'nobody knows',
      job: { kind: 'recover', state: 'running', done: 5, total: 9 },
    });
    expect(told).toEqual(
      expect.arrayContaining([
        'plaza_read_models{state="quarantined"} 1',
        String.raw`plaza_quarantine_info{reason="the log has \"x\""} 1`,
        'plaza_unproven_info{reason="nobody knows"} 1',
        'plaza_job_done{kind="recover",state="running"} 5',
        'plaza_job_total{kind="recover",state="running"} 9',
      ]),
    );
    expect(await linesOf(metrics, serving)).toEqual(
      await linesOf(new Metrics(new ProcessMetrics()), serving),
    );
  });

  it('report a log that answers as up, even if it is not the published one', async () => {
    const setBack = { name: 'posts', version: 1, position: 700, lag: null };
    const status = { incarnation: 'one', quarantine: null, projections: [setBack] };
    for (const findings of [
      { ...serving, status },
      { ...nothing, isLogUp: true },
    ])
      expect(await linesOf(new Metrics(new ProcessMetrics()), findings)).toContain(
        'plaza_store_up{store="log"} 1',
      );
  });

  it('tell a full disk of the log from an unavailable log', async () => {
    const lines = await linesOf(new Metrics(new ProcessMetrics()), {
      ...serving,
      isLogUp: false,
      isLogFull: true,
    });
    expect(lines).toEqual(expect.arrayContaining(['plaza_store_up{store="log"} 0', 'plaza_log_disk_full 1']));
  });

  it('tell a full disk of Postgres', async () => {
    const lines = await linesOf(new Metrics(new ProcessMetrics()), { ...serving, isDatabaseFull: true });
    expect(lines).toEqual(
      expect.arrayContaining(['plaza_store_up{store="read"} 1', 'plaza_database_disk_full 1']),
    );
  });

  it('omit unknown values', async () => {
    const metrics = new Metrics(new ProcessMetrics());
    await metrics.text(serving);
    expect(await linesOf(metrics, nothing)).toEqual([
      'plaza_store_up{store="read"} 0',
      'plaza_store_up{store="witness"} 0',
      'plaza_store_up{store="log"} 0',
      'plaza_log_disk_full 0',
      'plaza_database_disk_full 0',
      'plaza_log_compared 1',
      'plaza_witness_epoch Nan',
      'plaza_unsettled_restrictions Nan',
      'plaza_erasure_pending_tables{state="rewrite"} Nan',
      'plaza_erasure_pending_tables{state="large"} Nan',
      'plaza_erasure_pending_tables{state="checkpoint"} Nan',
      'plaza_erasure_pending_seconds Nan',
    ]);
  });
});

describe('the metrics of Node', () => {
  it('begin with the first scrape', async () => {
    const metrics = new ProcessMetrics();
    expect(await metrics.registry.metrics()).not.toMatch(/nodejs_|process_/);
    for (const scraped of [await metrics.text(), await metrics.text()])
      expect(
        scraped.match(/^(?:nodejs_eventloop_lag_p99_seconds|process_resident_memory_bytes) /gm),
      ).toHaveLength(2);
  });
});
