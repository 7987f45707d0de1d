import { svg, text, WIDTH } from '../../src/analytics/report/plots/frame.js';
import { linePlot } from '../../src/analytics/report/plots/lines.js';
import { plotFile } from '../../src/analytics/report/plots/style.js';
import { html } from '../../src/base/pages/html.js';
import { percentiles } from '../percentiles.js';
import type { Sample } from './sample.js';
import { latencyOf } from './verdict.js';

const [TITLE, LEFT] = [20, 56];
/** A plot has a height of 280. */
const ROOM = 300;
const TABLES = 4;

/** A file with memory, latency and dead rows, one below the other. */
export function plotOf(samples: readonly Sample[]): string {
  const x = samples.map(({ minute }) => `${minute} min`);
  const seriesOf = <Name extends string>(
    names: readonly Name[],
    valueOf: (name: Name, sample: Sample) => number,
  ) => names.map((name) => ({ name, values: samples.map((sample) => valueOf(name, sample)) }));
  const dead = (name: string, { rows }: Sample) => rows[name]?.dead ?? 0;
  const most = (name: string) => Math.max(...samples.map((sample) => dead(name, sample)));
  const tables = [...new Set(samples.flatMap(({ rows }) => Object.keys(rows)))]
    .toSorted((a, b) => most(b) - most(a))
    .slice(0, TABLES);
  const [first] = samples;
  const plots = {
    'Memory of each process, MB': seriesOf(
      Object.keys(first?.megabytes ?? {}),
      (name, { megabytes }) => megabytes[name] ?? 0,
    ),
    'p99 of each minute, ms': seriesOf(
      ['reads', 'writes'],
      (group, sample) => percentiles(latencyOf([sample], group)).p99Ms,
    ),
    'Dead rows by table': seriesOf(tables, dead),
  };
  const drawn = Object.entries(plots).flatMap(([label, series], n) => [
    text(LEFT, n * ROOM + TITLE, label, 'start', ''),
    html`<svg x="0" y="${String(n * ROOM + TITLE)}" width="${String(WIDTH)}" height="${String(ROOM - TITLE)}">
      ${linePlot({ label, x, series })}
    </svg>`,
  ]);
  return plotFile(svg('A network under load', Object.keys(plots).length * ROOM, drawn));
}
