import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { gridLine, legend, place, seriesClass, svg, text, WIDTH } from './frame.js';
import { amount, someOf, ticksTo } from './scale.js';

export interface Series {
  readonly name: string;
  /** One for each place on the axis; null: unknown. */
  readonly values: readonly (number | null)[];
}

export interface LinePlot {
  readonly label: string;
  readonly x: readonly string[];
  readonly series: readonly Series[];
  readonly format?: (value: number) => string;
}

const HEIGHT = 280;
const BOX = { left: 56, top: 34, right: WIDTH - 40, bottom: HEIGHT - 30 };
const MOST_LABELS = 8;
/** More points than this are a line without dots. */
const MOST_DOTS = 80;

export function linePlot({ label, x, series, format = amount }: LinePlot): Html {
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const ticks = ticksTo(most);
  const top = ticks.at(-1) ?? 1;
  const xOf = (n: number) =>
    x.length < 2 ? (BOX.left + BOX.right) / 2 : BOX.left + ((BOX.right - BOX.left) * n) / (x.length - 1);
  const yOf = (value: number) => BOX.bottom - ((BOX.bottom - BOX.top) * value) / top;
  return svg(label, HEIGHT, [
    ...ticks.flatMap((tick) => [
      gridLine(BOX.left, yOf(tick), BOX.right, yOf(tick)),
      text(BOX.left - 8, yOf(tick) + 4, format(tick), 'end'),
    ]),
    ...someOf(x.length, MOST_LABELS).map((n) => text(xOf(n), HEIGHT - 8, x[n] ?? '', 'middle')),
    ...legend(
      series.map(({ name }) => name),
      BOX.left,
      16,
    ),
    ...(series.some(({ values }) => values.some((value) => value !== null))
      ? []
      : [text((BOX.left + BOX.right) / 2, (BOX.top + BOX.bottom) / 2, 'nothing to show yet', 'middle')]),
    ...series.flatMap((each, index) => drawn(each, index, { x, xOf, yOf, format })),
  ]);
}

interface Axes {
  readonly x: readonly string[];
  readonly xOf: (n: number) => number;
  readonly yOf: (value: number) => number;
  readonly format: (value: number) => string;
}

function drawn({ name, values }: Series, index: number, { x, xOf, yOf, format }: Axes): readonly Html[] {
  const path = values
    .map((value, n) => {
      if (value === null) return '';
      const isStart = n === 0 || values[n - 1] === null;
      return `${isStart ? 'M' : 'L'}${place(xOf(n))} ${place(yOf(value))}`;
    })
    .join('');
  const line = html`<path class="line ${seriesClass(index)}" d="${path}" />`;
  if (x.length > MOST_DOTS) return [line];
  const dots = values.flatMap((value, n) =>
    value === null
      ? []
      : [
          html`<circle
            class="dot ${seriesClass(index)}"
            cx="${place(xOf(n))}"
            cy="${place(yOf(value))}"
            r="3"
          >
            <title>${name}, ${x[n]}: ${format(value)}</title>
          </circle>`,
        ],
  );
  return [line, ...dots];
}
