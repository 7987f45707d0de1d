import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';

export const WIDTH = 720;
/** Number of colours of series; further ones repeat with other dashes. */
export const COLOURS = 5;

export const seriesClass = (index: number): string => `s${index % COLOURS}`;

/** With one decimal, so that a plot is the same on every machine. */
export const place = (value: number): string => String(Math.round(value * 10) / 10);

/** `label`: read instead of the picture. */
export function svg(label: string, height: number, content: readonly Html[]): Html {
  return html`<svg
    class="plot"
    viewBox="0 0 ${String(WIDTH)} ${String(height)}"
    role="img"
    aria-label="${label}"
    xmlns="http://www.w3.org/2000/svg"
  >
    ${content}
  </svg>`;
}

type Anchor = 'start' | 'middle' | 'end';

export const text = (x: number, y: number, content: string, anchor: Anchor = 'start', of = 'quiet'): Html =>
  html`<text x="${place(x)}" y="${place(y)}" text-anchor="${anchor}" class="${of}">${content}</text>`;

export const gridLine = (x1: number, y1: number, x2: number, y2: number): Html =>
  html`<line class="grid" x1="${place(x1)}" y1="${place(y1)}" x2="${place(x2)}" y2="${place(y2)}" />`;

export function legend(names: readonly string[], x: number, y: number): readonly Html[] {
  let at = x;
  return names.map((name, index) => {
    const begin = at;
    at += 34 + name.length * 7.2;
    return html`<line
        class="line ${seriesClass(index)}"
        x1="${place(begin)}"
        y1="${place(y - 4)}"
        x2="${place(begin + 18)}"
        y2="${place(y - 4)}"
      />${text(begin + 24, y, name, 'start', '')}`;
  });
}
