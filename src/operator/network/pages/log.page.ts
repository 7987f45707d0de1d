import { html } from '../../../base/pages/html.js';
import type { AuditProgress } from '../../audit/progress.js';
import { storedEventList } from '../../console/events.js';
import type { ListedEvent } from '../../console/stored-event.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { progressLine } from '../../audit/pages/audit.page.js';

interface LogPage extends AuditProgress {
  readonly events: readonly ListedEvent[];
  readonly next: string | null;
}

interface StreamPage extends Omit<LogPage, keyof AuditProgress> {
  readonly stream: string;
  readonly from: string;
}

export function logPage(frame: Frame, { events, next, ...progress }: LogPage): string {
  const content = html`<section class="card" aria-labelledby="log">
    <h1 id="log">Log</h1>
    <p>
      The events in the order of the log, newest first, with ids and metadata alone. The
      <a href="/console/audit">audit</a> searches them.
    </p>
    ${progressLine(progress)}
    ${events.length === 0 ? html`<p role="status">No event is here.</p>` : storedEventList(events)}
    ${next === null ? undefined : html`<p><a href="/console/log?before=${next}">Older events</a></p>`}
  </section>`;
  return consolePage('Log', content, frame);
}

export function streamPage(frame: Frame, { stream, from, events, next }: StreamPage): string {
  const one = `/console/log/${stream}`;
  const content = html`<section class="card" aria-labelledby="stream">
    <h1 id="stream">Stream <code>${stream}</code></h1>
    <p>
      The events of one subject, oldest first, as the log has them now, with ids and metadata alone.
      <a href="/console/log">The whole log</a>
    </p>
    ${events.length === 0 ? html`<p role="status">It has no event from revision ${from} on.</p>` : storedEventList(events)}
    ${from === '0' ? undefined : html`<p><a href="${one}">From its first event</a></p>`}
    ${next === null ? undefined : html`<p><a href="${one}?from=${next}">Newer events</a></p>`}
  </section>`;
  return consolePage(`Stream ${stream}`, content, frame);
}
