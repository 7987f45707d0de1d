import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { AuditProgress } from '../progress.js';
import type { AuditAnswer } from '../search.js';
import { pickedSearch, searchForm } from './search-form.js';
import { disclosureForm } from './disclosure-form.js';
import { eventList } from '../../console/events.js';
import { consolePage } from '../../console/layout.js';
import type { Frame, View } from '../../desk/page.js';
import { numbers } from '../../console/tables.js';

export function auditPage(frame: Frame, answer: AuditAnswer, { query }: View): string {
  const { events, next, q: resolved } = answer;
  const older = new URLSearchParams({ q: resolved, before: next ?? '' });
  const content = html`<section class="card" aria-labelledby="audit">
      <h1 id="audit">Audit</h1>
      ${searchForm(query)} ${progressLine(answer)}
    </section>
    <section class="card" aria-labelledby="found">
      <h2 id="found">${pickedSearch(query) === '' ? 'Newest events' : 'Events'}, newest first</h2>
      ${
        events.length === 0
          ? html`<p role="status">
              ${next === null ? 'No event meets all conditions.' : 'None on this page; older ones may follow.'}
            </p>`
          : eventList(events)
      }
      ${disclosureForm(
        frame,
        events.filter(({ undisclosed }) => undisclosed),
      )}
      ${next === null ? undefined : html`<p><a href="/console/audit?${older.toString()}">Older events</a></p>`}
      <p class="small"><a href="/console/log">The log, in its own order</a></p>
    </section>`;
  return consolePage('Audit', content, frame);
}

export const refusedSearchPage = (frame: Frame, message: string, { query }: View): string =>
  consolePage(
    'Audit',
    html`<section class="card" aria-labelledby="audit">
      <h1 id="audit">Audit</h1>
      ${searchForm(query, message)}
    </section>`,
    frame,
  );

export const progressLine = ({ upTo, lag }: AuditProgress): Html =>
  html`<p class="quiet small">
    ${upTo === null ? 'It has read no event yet.' : html`It has every event up to ${timeElement(upTo)}.`}
    ${
      lag === null
        ? 'The log does not answer, so newer events may be missing.'
        : lag === 0
          ? undefined
          : `${numbers.format(lag)} bytes of the log are still unread.`
    }
  </p>`;
