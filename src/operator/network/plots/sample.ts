import type { Counter, Histogram } from 'prom-client';
import type { ProcessMetrics } from '../../../base/telemetry/process-metrics.js';

/** Observations up to each upper bound in seconds, as Prometheus counts them. */
export type Buckets = Readonly<Record<string, number>>;

export type Counts = Readonly<Record<string, number>>;

/** Counters of one process since its start, and the state of the network as it saw it. */
export interface Sample {
  readonly posts: number;
  readonly signIns: Counts;
  readonly refusals: Counts;
  readonly appends: Buckets;
  readonly requests: Buckets;
  readonly lag: number | null;
  readonly witnessEpoch: number | null;
  readonly diskFree: number | null;
}

type NetworkState = Pick<Sample, 'lag' | 'witnessEpoch'>;

export async function sampleOf(metrics: ProcessMetrics, state: NetworkState): Promise<Sample> {
  const [commands, signIns, refusals, appends, requests, diskFree] = await Promise.all([
    metrics.commands.get(),
    countsBy(metrics.signIns, 'outcome'),
    countsBy(metrics.refusals, 'code'),
    bucketsOf(metrics.appends),
    bucketsOf(metrics.requests),
    diskFreeOf(metrics),
  ]);
  const posts = commands.values.find(
    ({ labels, metricName }) =>
      metricName?.endsWith('_count') && labels.command === 'CreatePost' && labels.outcome === 'done',
  );
  return { posts: posts?.value ?? 0, signIns, refusals, appends, requests, diskFree, ...state };
}

async function countsBy<Label extends string>(counter: Counter<Label>, label: Label): Promise<Counts> {
  const { values } = await counter.get();
  const sums: Record<string, number> = {};
  for (const { labels, value } of values)
    sums[String(labels[label])] = (sums[String(labels[label])] ?? 0) + value;
  return sums;
}

async function bucketsOf(histogram: Histogram): Promise<Buckets> {
  const { values } = await histogram.get();
  const buckets: Record<string, number> = {};
  for (const { labels, value, metricName } of values) {
    const bound = (labels as { readonly le?: string | number }).le;
    if (metricName?.endsWith('_bucket') && bound !== undefined)
      buckets[String(bound)] = (buckets[String(bound)] ?? 0) + value;
  }
  return buckets;
}

async function diskFreeOf({ registry }: ProcessMetrics): Promise<number | null> {
  const gauge = await registry.getSingleMetric('plaza_disk_free_bytes')?.get();
  const value = gauge?.values[0]?.value;
  return value === undefined || Number.isNaN(value) ? null : value;
}
