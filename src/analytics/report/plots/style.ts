import { Html, html } from '../../../base/pages/html.js';
import { WIDTH } from './frame.js';

/** Colours of series: 3:1 on a card, in light and dark. A dash tells them apart too. */
export const plotStyle = `
:root { --s0: #1d5f52; --s1: #b3541e; --s2: #3b5ba9; --s3: #806400; --s4: #7a3f8f; }
@media (prefers-color-scheme: dark) {
  :root { --s0: #8ed1bd; --s1: #f0a676; --s2: #9db4ee; --s3: #e0c25a; --s4: #d3a6e2; }
}
.plot { display: block; width: 100%; min-width: 34rem; height: auto; }
.plot text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; fill: var(--text); }
.plot text.quiet { fill: var(--quiet); }
.plot .grid { stroke: var(--line); }
.plot .line { fill: none; stroke: var(--c); stroke-width: 2; }
.plot .dot, .plot .bar { fill: var(--c); }
.s0 { --c: var(--s0); } .s1 { --c: var(--s1); stroke-dasharray: 6 3; } .s2 { --c: var(--s2); stroke-dasharray: 2 2; }
.s3 { --c: var(--s3); stroke-dasharray: 8 3 2 3; } .s4 { --c: var(--s4); stroke-dasharray: 1 3; }
`;

const standalone = `
:root { --card: #fffefb; --line: #e0ddd4; --text: #1e1d1a; --quiet: #605d55; }
@media (prefers-color-scheme: dark) { :root { --card: #1b1e1b; --line: #31352f; --text: #ecebe5; --quiet: #a8a89f; } }
.ground { fill: var(--card); }
${plotStyle}`;

export function plotFile(plot: Html): string {
  const ground = html`<rect class="ground" x="0" y="0" width="${String(WIDTH)}" height="100%" />`.text;
  const style = `<style>${standalone}</style>`;
  return `${plot.text.replace('>', `>${style}${ground}`)}\n`;
}
