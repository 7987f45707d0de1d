import { percentiles } from '../percentiles.js';
import { rounded } from '../load.js';
import { weights } from './person.js';
import type { Rows, Sample } from './sample.js';

export interface Ruling {
  readonly rule: string;
  readonly is: 'kept' | 'broken' | 'not judged';
  readonly figure: string;
}

const WARM_UP = 10;
const WINDOW = 10;
const MB_A_MINUTE = 1;
const INDEX_BYTES_AN_EVENT = 110;
const [P99_RATIO, LEVEL_RATIO] = [1.2, 1.2];
/** Postgres looks once a minute for tables of which a fifth is dead, so it may find somewhat more. */
const DEAD_SHARE = 0.25;
/** Tables with fewer dead rows than this are level. */
const FEW_ROWS = 1_000;

/** Requests of people alone: no acts of operators, and no refreshes. */
export function latencyOf(samples: readonly Sample[], group: keyof typeof weights): number[] {
  return samples.flatMap(({ latencyMs }) =>
    Object.entries(latencyMs).flatMap(([kind, ms]) => (Object.hasOwn(weights[group], kind) ? ms : [])),
  );
}

/** Each rule of a run, with its figure. Rules need a run that has the minutes that they compare. */
export function judge(samples: readonly Sample[]): readonly Ruling[] {
  const later = samples.filter(({ minute }) => minute > WARM_UP);
  const [first, last] = [later.slice(0, WINDOW), later.slice(-WINDOW)];
  const ruling = (rule: string, minutes: number, isKept: boolean, figure: string): Ruling =>
    samples.length < minutes
      ? { rule, is: 'not judged', figure: `needs ${minutes} minutes` }
      : { rule, is: isKept ? 'kept' : 'broken', figure };
  const [one, two] = [WARM_UP + WINDOW, WARM_UP + 2 * WINDOW];
  const memory = Object.keys(samples[0]?.megabytes ?? {}).map((name) => {
    const growth = slope(later.map((each) => [each.minute, megabytesOf(name, each)]));
    return ruling(`memory of ${name}`, one, growth < MB_A_MINUTE, `${rounded(growth)} MB a minute`);
  });
  const latency = (['reads', 'writes'] as const).map((group) => {
    const before = percentiles(latencyOf(first, group)).p99Ms;
    const after = percentiles(latencyOf(last, group)).p99Ms;
    const figure = `${before} ms, then ${after} ms: ${rounded(after / before)} times`;
    return ruling(`p99 of ${group}`, two, after <= before * P99_RATIO, figure);
  });
  const growing = tablesOf(last).flatMap((name) => {
    const [before, after] = [most(first, name, 'dead'), most(last, name, 'dead')];
    const live = most(last, name, 'live');
    const isLevel = after <= Math.max(FEW_ROWS, before * LEVEL_RATIO, live * DEAD_SHARE);
    return isLevel ? [] : [`${name}: ${before}, then ${after} beside ${live} live ones`];
  });
  const errors = sum(samples.flatMap((each) => Object.values(each.errors)));
  const served = sum(samples.flatMap((each) => Object.values(each.latencyMs).map(({ length }) => length)));
  const shed = sum(samples.map((each) => each.shed));
  return [
    ...memory,
    ...latency,
    ruling('dead rows', two, growing.length === 0, growing.join('; ') || 'level in every table'),
    ruling('errors', 1, errors === 0, `${errors} errors, ${shed} shed, ${served} served`),
  ];
}

/** Memory without that which an event store with more events may take. */
function megabytesOf(name: string, { megabytes, events }: Sample): number {
  const index = name === 'eventStore' ? (events * INDEX_BYTES_AN_EVENT) / 2 ** 20 : 0;
  return (megabytes[name] ?? 0) - index;
}

/** Least squares. */
function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => sum(values) / values.length;
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  return (
    sum(points.map(([x, y]) => (x - middleX) * (y - middleY))) / sum(points.map(([x]) => (x - middleX) ** 2))
  );
}

const tablesOf = (samples: readonly Sample[]): string[] => [
  ...new Set(samples.flatMap(({ rows }) => Object.keys(rows))),
];

const most = (samples: readonly Sample[], table: string, kind: keyof Rows): number =>
  Math.max(...samples.map(({ rows }) => rows[table]?.[kind] ?? 0));

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);
