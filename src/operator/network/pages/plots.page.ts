import { html } from '../../../base/pages/html.js';
import type { Plot } from '../plots/plots.js';
import { plotsAsset, uPlotAsset, uPlotStyleAsset } from '../../console/assets.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';

/** Every plot is a table, too: without a script, the table alone. */
export function plotsPage(frame: Frame, plots: readonly Plot[]): string {
  const content = html`<div data-plots="${JSON.stringify(plots)}">
    <section class="card" aria-labelledby="plots">
      <h1 id="plots">Plots</h1>
      <p class="quiet">
        The last half hour of all API processes together, in the time zone <span data-zone>UTC</span>; with
        JavaScript, new points arrive by themselves.
      </p>
    </section>
    <div class="plots">
      ${plots.map(
        (plot) =>
          html`<section class="card" aria-labelledby="of-${plot.name}">
            <h2 id="of-${plot.name}">${plot.title}</h2>
            <div
              id="plot-${plot.name}"
              class="plot"
              role="img"
              aria-label="${plot.title}, as in the table below"
            ></div>
            <details class="act">
              <summary>${plot.title}: table</summary>
              <div class="scrolled" tabindex="0" role="group" aria-label="${plot.title}: values">
                ${tableOf(plot)}
              </div>
            </details>
          </section>`,
      )}
    </div>
  </div>`;
  return consolePage('Plots', content, frame, {
    scripts: [uPlotAsset.path, plotsAsset.path],
    sheets: [uPlotStyleAsset.path],
    isWide: true,
  });
}

const tableOf = ({ name, times, lines }: Plot) =>
  html`<table id="table-${name}">
    <thead>
      <tr>
        <th scope="col">Time (UTC)</th>
        ${lines.map(({ label }) => html`<th scope="col">${label}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${times
        .map(
          (time, at) =>
            html`<tr>
              <th scope="row">${new Date(time * 1_000).toISOString().slice(11, 19)}</th>
              ${lines.map(({ values }) => html`<td>${shown(values[at])}</td>`)}
            </tr>`,
        )
        .toReversed()}
    </tbody>
  </table>`;

const shown = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : String(Math.round(value * 100) / 100);
