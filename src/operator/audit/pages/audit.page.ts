import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { AuditProgress } from '../progress.js';
import type { AuditAnswer } from '../search.js';
import { disclosureForm } from './disclosure-form.js';
import { eventList } from '../../console/events.js';
import { consolePage } from '../../console/layout.js';
import type { Frame, View } from '../../desk/page.js';
import { numbers } from '../../console/tables.js';

export function auditPage(frame: Frame, answer: AuditAnswer, view: View): string {
  const { events, next, q: resolved } = answer;
  const { q = '' } = view.query;
  const older = new URLSearchParams({ q: resolved, before: next ?? '' });
  const content = html`<section class="card" aria-labelledby="audit">
      <h1 id="audit">Audit</h1>
      <form method="get" action="/console/audit" role="search">
        <div class="fields wide">
          <div class="field">
            <label for="q">Terms that must all hold; none shows the newest events</label>
            <input
              id="q"
              name="q"
              value="${q}"
              maxlength="8192"
              autocomplete="off"
              autocapitalize="none"
              spellcheck="false"
              aria-describedby="q-hint"
            />
            <p class="hint" id="q-hint">
              <code
                >actor: app: grant: post: operator: claimed: type: request: intent: reason: since: until:
                -type:</code
              >, for example <code>actor:@ana since:24h -type:post.*</code>. <code>operator:</code> finds who
              acted; <code>claimed:</code> a name that nothing proves. The command line has the same search:
              <code>plaza audit</code>.
            </p>
          </div>
          <button class="main" type="submit">Search</button>
        </div>
      </form>
      ${progressLine(answer)}
    </section>
    <section class="card" aria-labelledby="found">
      <h2 id="found">${q === '' ? 'Newest events' : 'Events'}, newest first</h2>
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
