import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { ProjectionStatus } from '../../../../projections/projection-status.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { commandOf, mayDo } from '../../console/may.js';
import { actForm, facts, state } from '../../console/parts.js';
import { numbers, table } from '../../console/tables.js';

export function projectionsPage(
  frame: Frame,
  { incarnation, quarantine, projections }: ProjectionStatus,
): string {
  const names = projections.map(({ name }) => name);
  const content = html`<section class="card" aria-labelledby="projections">
    <h1 id="projections">Projections</h1>
    ${facts([['incarnation', incarnation ?? 'none is published']])}
    ${
      quarantine === null
        ? undefined
        : html`<p class="problem">
            In quarantine, so reads are refused: ${quarantine}
            <a href="/console/recovery/plan">The plan</a> says what to do.
          </p>`
    }
    ${projectionsTable(projections)}
    ${mayDo(frame.session, 'projection.rebuild') ? rebuildForm(frame, names) : undefined}
    <p class="quiet small">
      A rebuild is made beside the published read models, verified against the log, then published:
      ${commandOf('projection.rebuild')}. <a href="/console/recovery">Recovery</a> lists the jobs.
    </p>
  </section>`;
  return consolePage('Projections', content, frame);
}

const rebuildForm = ({ proof }: Frame, names: readonly string[]): Html =>
  actForm({
    action: '/console/projections/rebuild',
    button: 'Rebuild',
    proof,
    id: 'rebuild',
    reason: 'optional',
    fields: html`<fieldset>
      <legend>Which; none means all that serve reads</legend>
      ${names.map(
        (name) =>
          html`<p class="choice">
            <input type="checkbox" id="rebuild-${name}" name="names" value="${name}" />
            <label for="rebuild-${name}">${name}</label>
          </p>`,
      )}
    </fieldset>`,
  });

export const projectionsTable = (projections: ProjectionStatus['projections']): Html =>
  table(
    'Table of projections',
    ['Projection', 'Behind'],
    projections.map(({ name, lag, stopped }) => [
      name,
      html`${lagText(lag)} ${stopped && state(`stands still: ${stopped.reason}`, true)}`,
    ]),
  );

export const lagText = (lag: number | null): string =>
  lag === null
    ? 'unknown: the log does not answer'
    : lag === 0
      ? 'up to date'
      : `${numbers.format(lag)} bytes behind`;
