import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { place, svg, text, WIDTH } from './frame.js';
import { amount } from './scale.js';

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly note?: string;
}

const ROW = 26;
const LETTER = 6.8;
const GAP = 10;
const LONGEST_NAME = 46;

const widthOf = (texts: readonly string[]): number =>
  Math.max(0, ...texts.map(({ length }) => length)) * LETTER;

/** The label stands above the bars, which leave each name and note its room. */
export function barPlot(
  label: string,
  bars: readonly Bar[],
  format: (value: number) => string = amount,
): Html {
  const most = Math.max(0, ...bars.map(({ value }) => value)) || 1;
  const names = bars.map(({ name }) => shortened(name));
  const notes = bars.map(({ value, note }) => `${format(value)}${note ? ` · ${note}` : ''}`);
  const left = widthOf(names) + GAP;
  const longest = WIDTH - left - widthOf(notes) - 2 * GAP;
  return svg(label, (Math.max(1, bars.length) + 1) * ROW + 12, [
    text(0, ROW - 8, label, 'start', ''),
    ...bars.flatMap(({ value }, n) => {
      const middle = (n + 1) * ROW + ROW / 2 + 6;
      const width = Math.max((longest * value) / most, 1);
      return [
        text(left - GAP, middle + 4, names[n] ?? '', 'end', ''),
        html`<rect
          class="bar s0"
          x="${place(left)}"
          y="${place(middle - 8)}"
          width="${place(width)}"
          height="16"
          rx="3"
        />`,
        text(left + width + GAP, middle + 4, notes[n] ?? ''),
      ];
    }),
  ]);
}

const shortened = (name: string): string =>
  name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`;
