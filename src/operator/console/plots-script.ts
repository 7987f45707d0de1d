/** Runs in the browser: draws the plots of the page, and follows them. Each has its data in a table, too. */
export const plotsScript = `'use strict';
(() => {
  const page = document.querySelector('[data-plots]');
  if (!page) return;
  const drawn = new Map();
  const colours = ['--accent', '--wrong', '--text', '--quiet', '--field'];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const words = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
  const zone = words.resolvedOptions().timeZone;
  const clock = (time) => words.format(time * 1000);
  const dataOf = ({ times, lines }) => [times, ...lines.map(({ values }) => values)];
  const labelsOf = ({ lines }) => lines.map(({ label }) => label).join();

  function draw(plot) {
    const place = document.getElementById('plot-' + plot.name);
    const old = drawn.get(plot.name);
    if (old && old.labels === labelsOf(plot)) return old.chart.setData(dataOf(plot));
    old?.chart.destroy();
    const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line') } };
    const chart = new uPlot(
      {
        width: place.clientWidth,
        height: 180,
        legend: { live: false },
        cursor: { show: false },
        scales: { y: { range: (_chart, _least, most) => [0, Math.max(1, (most ?? 0) * 1.1)] } },
        axes: [{ ...axis, values: (_chart, times) => times.map((time) => clock(time).slice(0, 5)) }, { ...axis, size: 64 }],
        series: [{}, ...plot.lines.map(({ label }, at) => ({ label, stroke: colour(colours[at % colours.length]), width: 2, spanGaps: false }))],
      },
      dataOf(plot),
      place,
    );
    drawn.set(plot.name, { chart, place, labels: labelsOf(plot) });
  }

  function tabulate({ name, times, lines }) {
    const table = document.getElementById('table-' + name);
    const cell = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
    const head = document.createElement('tr');
    head.append(...['Time (' + zone + ')', ...lines.map(({ label }) => label)].map((text) => Object.assign(cell('th', text), { scope: 'col' })));
    table.tHead.replaceChildren(head);
    const rows = times.map((time, at) => {
      const row = document.createElement('tr');
      const moment = Object.assign(cell('th', clock(time)), { scope: 'row' });
      row.append(moment, ...lines.map(({ values }) => cell('td', values[at] === null ? '–' : String(Math.round(values[at] * 100) / 100))));
      return row;
    });
    table.tBodies[0].replaceChildren(...rows.reverse());
  }

  let plots = JSON.parse(page.dataset.plots);
  const redraw = () => {
    for (const { chart } of drawn.values()) chart.destroy();
    drawn.clear();
    plots.forEach(draw);
  };
  page.querySelector('[data-zone]').textContent = zone;
  plots.forEach(draw);
  plots.forEach(tabulate);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  const fit = new ResizeObserver(() => {
    for (const { chart, place } of drawn.values())
      if (chart.width !== place.clientWidth) chart.setSize({ width: place.clientWidth, height: chart.height });
  });
  for (const { place } of drawn.values()) fit.observe(place);
  let source;
  // A browser has six connections to a server without HTTP/2: a page that nobody sees takes none.
  function follow() {
    source?.close();
    if (document.hidden) return;
    source = new EventSource('/console/plots/stream');
    source.addEventListener('plots', ({ data }) => {
      plots = JSON.parse(data);
      plots.forEach(draw);
      plots.forEach(tabulate);
      page.dataset.updates = String(Number(page.dataset.updates ?? 0) + 1);
    });
    source.addEventListener('ended', () => {
      source.close();
      location.reload();
    });
  }
  document.addEventListener('visibilitychange', follow);
  follow();
})();
`;
