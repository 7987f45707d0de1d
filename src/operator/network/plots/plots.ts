import { z } from 'zod';
import { listOf } from '../../desk/schemas.js';
import type { Buckets, Counts, Sample } from './sample.js';

export const SLOT_MS = 30_000;
export const SLOTS = 60;

export interface SampleRow {
  readonly processId: string;
  readonly at: number;
  readonly sample: Sample;
}

const shownLine = z.strictObject({
  label: z.string(),
  /** One for each time; null: unknown. */
  values: listOf(z.number().nullable()),
});

/** `times`: Unix seconds, at the end of each slot. */
export const shownPlot = z.strictObject({
  name: z.string(),
  title: z.string(),
  times: listOf(z.number()),
  lines: listOf(shownLine),
});

export type Line = z.infer<typeof shownLine>;
export type Plot = z.infer<typeof shownPlot>;

interface Step {
  readonly slot: number;
  readonly before: Sample;
  readonly after: Sample;
}

const MOST_CODES = 5;
const MINUTES = SLOT_MS / 60_000;

/** Sums the samples of all processes. `rows`: by process and time. `now`: Unix milliseconds. */
export function plotsOf(rows: readonly SampleRow[], now: number): readonly Plot[] {
  const last = Math.floor(now / SLOT_MS);
  const slots = Array.from({ length: SLOTS }, (_, at) => last - SLOTS + 1 + at);
  const times = slots.map((slot) => ((slot + 1) * SLOT_MS) / 1_000);
  const steps = stepsOf(rows);
  const bySlot = Map.groupBy(steps, ({ slot }) => slot);
  const line = (label: string, valueOf: (steps: readonly Step[]) => number | null): Line => ({
    label,
    values: slots.map((slot) => {
      const inSlot = bySlot.get(slot);
      return inSlot ? valueOf(inSlot) : null;
    }),
  });
  const rate = (label: string, of: (sample: Sample) => number) =>
    line(label, (inSlot) => total(inSlot.map(({ before, after }) => of(after) - of(before))) / MINUTES);
  const rates = (keys: readonly string[], of: (sample: Sample) => Counts) =>
    keys.map((key) => rate(key, (sample) => of(sample)[key] ?? 0));
  const slowest = (label: string, of: (sample: Sample) => Buckets) =>
    line(label, (inSlot) => percentile95(inSlot, of));
  const newest = (label: string, pick: (values: number[]) => number, of: (sample: Sample) => number | null) =>
    line(label, (inSlot) => {
      const known = inSlot.map(({ after }) => of(after)).filter((value) => value !== null);
      return known.length === 0 ? null : pick(known);
    });
  const most = (values: number[]) => Math.max(...values);
  const plot = (name: string, title: string, lines: readonly Line[]): Plot => ({ name, title, times, lines });
  return [
    plot('posts', 'Posts a minute', [rate('posts', ({ posts }) => posts)]),
    plot(
      'sign-ins',
      'Sign-ins of people a minute',
      rates(keysOf(steps, 'signIns'), ({ signIns }) => signIns),
    ),
    plot(
      'refusals',
      'Refusals a minute, by code',
      rates(keysOf(steps, 'refusals').slice(0, MOST_CODES), ({ refusals }) => refusals),
    ),
    plot('latency', '95 of 100 take at most, in milliseconds', [
      slowest('requests', ({ requests }) => requests),
      slowest('appends', ({ appends }) => appends),
    ]),
    plot('lag', 'Projection lag in bytes of the log', [newest('slowest projection', most, ({ lag }) => lag)]),
    plot('epoch', 'Witness epoch', [newest('epoch', most, ({ witnessEpoch }) => witnessEpoch)]),
    plot('disk', 'Free disk in gigabytes', [
      newest(
        'least',
        (values) => Math.min(...values) / 1e9,
        ({ diskFree }) => diskFree,
      ),
    ]),
  ];
}

function stepsOf(rows: readonly SampleRow[]): readonly Step[] {
  return [...Map.groupBy(rows, ({ processId }) => processId).values()].flatMap((ofProcess) =>
    ofProcess.slice(1).map(({ at, sample }, index) => ({
      slot: Math.floor(at / SLOT_MS),
      before: ofProcess[index]?.sample ?? sample,
      after: sample,
    })),
  );
}

/** Every key, the most frequent in the plot first. */
function keysOf(steps: readonly Step[], counts: 'signIns' | 'refusals'): readonly string[] {
  const increases = new Map<string, number>();
  for (const { before, after } of steps)
    for (const [key, value] of Object.entries(after[counts]))
      increases.set(key, (increases.get(key) ?? 0) + value - (before[counts][key] ?? 0));
  return [...increases].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([key]) => key);
}

/** The upper bound of the bucket, in milliseconds; null: nothing was observed, or it took longer than every bound. */
function percentile95(steps: readonly Step[], of: (sample: Sample) => Buckets): number | null {
  const increase = (bound: string) =>
    total(steps.map(({ before, after }) => (of(after)[bound] ?? 0) - (of(before)[bound] ?? 0)));
  const all = increase('+Inf');
  const bounds = [...new Set(steps.flatMap(({ after }) => Object.keys(of(after))))]
    .filter((bound) => bound !== '+Inf')
    .toSorted((a, b) => Number(a) - Number(b));
  const found = all > 0 ? bounds.find((bound) => increase(bound) >= 0.95 * all) : undefined;
  return found === undefined ? null : Number(found) * 1_000;
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
