import type { ApplicationImpact } from '../../../../projections/audit/impact.read-model.js';
import { hiddenField, html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { impactCounts, impactHeadings } from '../../audit/impact-columns.js';
import { TIME_HELP } from '../../audit/time.js';
import { consolePage } from '../../console/layout.js';
import type { Frame, View } from '../../desk/page.js';
import { mayDo } from '../../console/may.js';
import { named } from '../../console/names.js';
import { verbOfAct } from '../../desk/sentences.js';
import { actForm, facts, textField } from '../../console/parts.js';
import { numbers, table } from '../../console/tables.js';

interface Impact extends ApplicationImpact {
  readonly clientId: string;
  readonly name: string | null;
}

export function impactPage(frame: Frame, impact: Impact, { query }: View): string {
  const { clientId, name, actors, first, last } = impact;
  const content = html`<section class="card" aria-labelledby="impact">
      <h1 id="impact">What <bdi>${name ?? clientId}</bdi> did</h1>
      ${facts([
        ['application', named.application(clientId)],
        ['actors', numbers.format(actors)],
        ['first', first === null ? 'nothing was done through it' : timeElement(first)],
        ['last', last === null ? 'nothing was done through it' : timeElement(last)],
      ])}
      ${windowForm(clientId, query)}
      ${mayDo(frame.session, 'batch.request') ? previewForm(frame, clientId, query) : undefined}
    </section>
    <section class="card" aria-labelledby="hours">
      <h2 id="hours">By hour</h2>
      ${
        impact.hours.length === 0
          ? html`<p>None.</p>`
          : table(
              'What it did by hour',
              ['hour', 'actors', ...impactHeadings],
              impact.hours.map((hour) => [
                timeElement(hour.hour),
                numbers.format(hour.actors),
                ...impactCounts(hour.acts).map((count) => numbers.format(count)),
              ]),
            )
      }
    </section>
    <section class="card" aria-labelledby="acts">
      <h2 id="acts">In total</h2>
      ${table(
        'Events by type',
        ['what', 'events'],
        Object.entries(impact.acts)
          .toSorted(([, a], [, b]) => b - a)
          .map(([act, events]) => [verbOfAct(act), numbers.format(events)]),
      )}
    </section>
    <section class="card" aria-labelledby="actors">
      <h2 id="actors">Most active</h2>
      ${table(
        'Most active accounts',
        ['account', 'events'],
        impact.mostActive.map(({ actorId, events }) => [named.person(actorId), numbers.format(events)]),
      )}
    </section>`;
  return consolePage(`Impact of ${name ?? clientId}`, content, frame);
}

const windowForm = (clientId: string, { since, until, hours }: View['query']): Html =>
  html`<details class="act">
    <summary>Choose a window</summary>
    <form method="get" action="/console/applications/${clientId}/impact">
      <div class="fields">
        ${textField({ id: 'since', name: 'since', label: 'Since', value: since, hint: TIME_HELP, isOptional: true })}
        ${textField({ id: 'until', name: 'until', label: 'Until', value: until, isOptional: true })}
        ${textField({ id: 'hours-listed', name: 'hours', label: 'The last hours to list', value: hours ?? '24' })}
        <button type="submit">Show</button>
      </div>
    </form>
  </details>`;

const previewForm = ({ proof }: Frame, clientId: string, { since, until }: View['query']): Html =>
  actForm({
    action: '/console/batches/preview',
    button: 'Preview a restriction of its posts',
    proof,
    id: 'restrict-posts',
    fields: html`${hiddenField('kind', 'posts')} ${hiddenField('appId', clientId)}
    ${textField({ id: 'from', name: 'from', label: 'Posts from', value: since, hint: TIME_HELP })}
    ${textField({ id: 'to', name: 'until', label: 'Posts until', value: until, hint: 'In the past; a day counts whole.' })}`,
  });
