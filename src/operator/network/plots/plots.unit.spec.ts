import { describe, expect, it } from '@jest/globals';
import { plotsOf, SLOT_MS, SLOTS } from './plots.js';
import type { Plot, SampleRow } from './plots.js';
import type { Sample } from './sample.js';

const nothing: Sample = {
  posts: 0,
  signIns: {},
  refusals: {},
  appends: {},
  requests: {},
  lag: null,
  witnessEpoch: null,
  diskFree: null,
};
const now = 1_000 * SLOT_MS;

/** A sample of a process, so many slots ago. */
const row = (processId: string, slotsAgo: number, sample: Partial<Sample>): SampleRow => ({
  processId,
  at: now - slotsAgo * SLOT_MS,
  sample: { ...nothing, ...sample },
});

const newest = (plots: readonly Plot[], name: string) =>
  Object.fromEntries(
    plots.find((plot) => plot.name === name)!.lines.map(({ label, values }) => [label, values.at(-1)]),
  );

describe('a plot', () => {
  it('sums the increases of all processes, and takes a new process for none', () => {
    const rows = [
      row('a', 1, { posts: 10 }),
      row('a', 0, { posts: 16 }),
      row('b', 1, { posts: 100 }),
      row('b', 0, { posts: 101 }),
      row('c', 0, { posts: 50 }),
    ];
    expect(newest(plotsOf(rows, now), 'posts')).toEqual({ posts: 7 * (60_000 / SLOT_MS) });
  });

  it('has a point for each slot, and knows which are unknown', () => {
    const [posts] = plotsOf([row('a', 3, { posts: 1 }), row('a', 2, { posts: 2 })], now);
    expect(posts!.times).toHaveLength(SLOTS);
    expect(posts!.lines[0]!.values.slice(-4)).toEqual([null, 60_000 / SLOT_MS, null, null]);
    expect(posts!.times.at(-1)).toBe((now + SLOT_MS) / 1_000);
  });

  it('has the most frequent codes first, and five at most', () => {
    const codes = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`c${at}`, at]));
    const rows = [row('a', 1, {}), row('a', 0, { refusals: codes })];
    expect(Object.keys(newest(plotsOf(rows, now), 'refusals'))).toEqual(['c6', 'c5', 'c4', 'c3', 'c2']);
  });

  it('has the bound under which 95 of 100 observations of all processes are', () => {
    const rows = [
      row('a', 1, { requests: { 0.01: 100, 0.1: 100, '+Inf': 100 } }),
      row('a', 0, { requests: { 0.01: 190, 0.1: 199, '+Inf': 200 } }),
      row('b', 1, { requests: { 0.01: 0, 0.1: 0, '+Inf': 0 } }),
      row('b', 0, { requests: { 0.01: 100, 0.1: 100, '+Inf': 100 } }),
    ];
    expect(newest(plotsOf(rows, now), 'latency')).toEqual({ requests: 10, appends: null });
    expect(newest(plotsOf(rows.slice(0, 2), now), 'latency')).toEqual({ requests: 100, appends: null });
  });

  it('has the worst of what processes see of the network', () => {
    const rows = [
      row('a', 1, {}),
      row('a', 0, { lag: 5, witnessEpoch: 3, diskFree: 2e9 }),
      row('b', 1, {}),
      row('b', 0, { lag: 9, witnessEpoch: 2, diskFree: 1e9 }),
      row('c', 1, {}),
      row('c', 0, {}),
    ];
    const plots = plotsOf(rows, now);
    expect([newest(plots, 'lag'), newest(plots, 'epoch'), newest(plots, 'disk')]).toEqual([
      { 'slowest projection': 9 },
      { epoch: 3 },
      { least: 1 },
    ]);
  });
});
