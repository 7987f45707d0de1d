import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { place, svg, text, WIDTH } from './frame.js';
import { amount, someOf } from './scale.js';

export interface HeatPlot {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  /** By row, then column; null: no such cell. */
  readonly values: readonly (readonly (number | null)[])[];
  readonly format?: (value: number) => string;
  /** True: each cell has its value as text, which limits how dark it may be. */
  readonly isWritten?: boolean;
}

const ROW = 26;
const LEFT = 96;
const TOP = 24;
const MOST_LABELS = 12;
/** A text on a darker cell would have a contrast below 4.5. */
const DARKEST = { written: 0.4, plain: 1 };

export function heatPlot({
  label,
  columns,
  rows,
  values,
  format = amount,
  isWritten = false,
}: HeatPlot): Html {
  const width = (WIDTH - LEFT - 8) / Math.max(1, columns.length);
  const most = Math.max(0, ...values.flat().map((value) => value ?? 0)) || 1;
  const darkest = isWritten ? DARKEST.written : DARKEST.plain;
  return svg(label, TOP + rows.length * ROW + 8, [
    ...someOf(columns.length, MOST_LABELS).map((n) =>
      text(LEFT + (n + 0.5) * width, TOP - 8, columns[n] ?? '', 'middle'),
    ),
    ...rows.flatMap((row, r) => [
      text(LEFT - 10, TOP + (r + 0.5) * ROW + 4, row, 'end'),
      ...columns.flatMap((column, c) => {
        const value = values[r]?.[c] ?? null;
        if (value === null) return [];
        const cell = html`<rect
          class="bar s0"
          x="${place(LEFT + c * width + 1)}"
          y="${place(TOP + r * ROW + 1)}"
          width="${place(width - 2)}"
          height="${String(ROW - 2)}"
          rx="3"
          fill-opacity="${String(Math.round((0.06 + 0.94 * (value / most)) * darkest * 100) / 100)}"
        >
          <title>${row}, ${column}: ${format(value)}</title>
        </rect>`;
        const middle = LEFT + (c + 0.5) * width;
        return isWritten
          ? [cell, text(middle, TOP + (r + 0.5) * ROW + 4, format(value), 'middle', '')]
          : [cell];
      }),
    ]),
  ]);
}
