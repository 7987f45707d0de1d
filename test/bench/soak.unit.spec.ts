import { describe, expect, it } from '@jest/globals';
import { judge } from '../../bench/soak/verdict.js';
import type { Ruling } from '../../bench/soak/verdict.js';
import type { Sample } from '../../bench/soak/sample.js';

const sampleOf = (minute: number): Sample => ({
  minute,
  megabytes: { eventStore: 50, api: 200 },
  cpuMs: { api: 0, worker: 0, eventStore: 0, postgres: 0 },
  events: minute * 3_000,
  rows: { post: { live: 100_000, dead: 20_000 }, intent: { live: 10, dead: 4_000 } },
  latencyMs: { timeline: [10, 20], post: [20, 30] },
  errors: {},
  shed: 5,
});

/** A run of which `change` alters each minute. */
const run = (change: (minute: number) => Partial<Sample> = () => ({}), minutes = 60) =>
  judge(Array.from({ length: minutes }, (_, n) => ({ ...sampleOf(n + 1), ...change(n + 1) })));

const broken = (rulings: readonly Ruling[]) =>
  rulings.filter(({ is }) => is === 'broken').map(({ rule }) => rule);

describe('The verdict about a soak', () => {
  it('keeps all rules where nothing grows, and does not count shed requests as errors', () => {
    expect(run().every(({ is }) => is === 'kept')).toBe(true);
  });

  it('breaks on memory that grows by a megabyte a minute, of each process alone', () => {
    expect(broken(run((minute) => ({ megabytes: { eventStore: 50, api: 200 + minute } })))).toEqual([
      'memory of api',
    ]);
  });

  it('allows the growth before minute 10', () => {
    const grown = (minute: number) => 200 + 20 * Math.min(minute, 10);
    expect(broken(run((minute) => ({ megabytes: { eventStore: 50, api: grown(minute) } })))).toEqual([]);
  });

  it('allows the event store 110 bytes an event, and a megabyte a minute besides', () => {
    const growing = (bytes: number) =>
      run((minute) => ({
        events: minute * 30_000,
        megabytes: { eventStore: 50 + (minute * 30_000 * bytes) / 2 ** 20, api: 200 },
      }));
    expect(broken(growing(140))).toEqual([]);
    expect(broken(growing(150))).toEqual(['memory of eventStore']);
  });

  it('breaks on a p99 of the last ten minutes above 1.2 times that of minutes 11 to 20', () => {
    const slower = (ms: number) => run((minute) => ({ latencyMs: { post: [minute > 50 ? ms : 30] } }));
    expect(broken(slower(36))).toEqual([]);
    expect(broken(slower(37))).toEqual(['p99 of writes']);
    expect(broken(run((minute) => ({ latencyMs: { timeline: [minute > 50 ? 37 : 30] } })))).toEqual([
      'p99 of reads',
    ]);
  });

  it.each(['rebuild', 'suspension', 'reinstatement', 'refresh'])(
    'leaves a slower %s out, which no person has asked for',
    (kind) => {
      const slower = (minute: number) => ({
        ...sampleOf(minute).latencyMs,
        [kind]: [minute > 50 ? 900 : 30],
      });
      expect(broken(run((minute) => ({ latencyMs: slower(minute) })))).toEqual([]);
    },
  );

  it('breaks on dead rows that neither stay level nor are a share that Postgres leaves', () => {
    const growing = (live: number, dead: number) =>
      run((minute) => ({ rows: { post: { live, dead: (dead * minute) / 60 } } }));
    expect(broken(growing(100_000, 25_000))).toEqual([]);
    expect(broken(growing(90_000, 25_000))).toEqual(['dead rows']);
    expect(broken(growing(10, 900))).toEqual([]);
  });

  it('breaks on one error', () => {
    expect(broken(run((minute) => ({ errors: minute === 3 ? { 'post: 500': 1 } : {} })))).toEqual(['errors']);
  });

  it('does not judge a rule whose minutes the run has not', () => {
    const judged = (minutes: number) =>
      run(undefined, minutes)
        .filter(({ is }) => is === 'kept')
        .map(({ rule }) => rule);
    expect(judged(19)).toEqual(['errors']);
    expect(judged(29)).toEqual(['memory of eventStore', 'memory of api', 'errors']);
  });
});
