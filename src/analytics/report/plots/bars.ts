import { html } from '../../../pages/html.js';
import type { Html } from '../../../pages/html.js';
import { place, svg, text, WIDTH } from './frame.js';
import { amount } from './scale.js';

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly note?: string;
}

const ROW = 26;
const LEFT = 210;
/** Room for a value and its note. */
const RIGHT = WIDTH - 190;
const LONGEST_NAME = 30;

export function barPlot(
  label: string,
  bars: readonly Bar[],
  format: (value: number) => string = amount,
): Html {
  const most = Math.max(0, ...bars.map(({ value }) => value)) || 1;
  return svg(
    label,
    Math.max(1, bars.length) * ROW + 12,
    bars.flatMap(({ name, value, note }, n) => {
      const middle = n * ROW + ROW / 2 + 6;
      const width = ((RIGHT - LEFT) * value) / most;
      return [
        text(LEFT - 10, middle + 4, shortened(name), 'end', ''),
        html`<rect
          class="bar s0"
          x="${place(LEFT)}"
          y="${place(middle - 8)}"
          width="${place(Math.max(width, 1))}"
          height="16"
          rx="3"
        />`,
        text(LEFT + width + 8, middle + 4, `${format(value)}${note ? ` · ${note}` : ''}`),
      ];
    }),
  );
}

const shortened = (name: string): string =>
  name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`;
