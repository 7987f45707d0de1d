import { html, secondElement } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { unnamed } from './names.js';

/** An event as its list shows it. `text`: only if the audit hands it out. */
export interface ListedEvent {
  readonly at: number;
  readonly eventId?: string;
  readonly type: string;
  readonly position: number;
  readonly revision: number;
  readonly stream?: string;
  readonly subject: Readonly<Record<string, string>>;
  readonly actorId: string | null;
  readonly appId: string | null;
  readonly operatorId: string | null;
  readonly operator: string | null;
  readonly reason: string | null;
  readonly cause: string | null;
  readonly text?: string | undefined;
  readonly erased?: boolean | undefined;
  readonly undisclosed?: boolean | undefined;
}

/** An event as the log has it: its type, and the ids in its data and metadata. */
export const asStored = (event: ListedEvent): Html =>
  html`<p>
      <strong>${event.type}</strong>
      <span class="quiet small">${secondElement(event.at)}, position ${String(event.position)}</span>
    </p>
    <p class="small">${whoDid(event)}${about(event)}${through(event)}</p>`;

function whoDid({ actorId, operatorId, operator: claimed }: ListedEvent): Html {
  if (operatorId !== null) {
    const says = claimed === null ? undefined : html`, says: <bdi>${claimed}</bdi>`;
    return html`by ${unnamed.operator(operatorId)}${says}`;
  }
  if (claimed !== null) return html`by <bdi>${claimed}</bdi> (claimed)`;
  return actorId === null ? html`by the network` : html`by ${unnamed.person(actorId)}`;
}

/** The ids in the event, but for those that tell who acted, and through which application. */
function about({ subject, actorId, appId, operatorId }: ListedEvent): readonly Html[] {
  return Object.entries(subject)
    .filter(([, id]) => id !== actorId && id !== appId && id !== operatorId)
    .map(([field, id]) => html`, ${field.replace(/Id$/, '')} ${shownId(field, id)}`);
}

function shownId(field: string, id: string): Html {
  if (/actorId$/i.test(field)) return unnamed.person(id);
  if (field === 'postId') return unnamed.post(id);
  if (field === 'appId') return unnamed.application(id);
  const place = { grantId: 'grants', batchId: 'batches', caseId: 'cases' }[field];
  return place === undefined ? html`${id}` : html`<a href="/console/${place}/${id}">${id}</a>`;
}

const through = ({ appId }: ListedEvent): Html | undefined =>
  appId === null ? undefined : html`, through ${unnamed.application(appId)}`;

/** Its revision, and its stream in the pages of the log. */
export const placeOf = ({ stream, revision, cause }: ListedEvent): Html =>
  html`<p class="small quiet">
    revision
    ${String(revision)}${stream === undefined ? undefined : html` of <a href="/console/log/${stream}">${stream}</a>`}${
      cause === null ? undefined : html`, as a part of <a href="/console/log/${cause}">${cause}</a>`
    }
  </p>`;
