import { html } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { named } from './names.js';

/** The requester of a job, which is stored as a text for people, with the id of an operator (src/operator/desk/jobs.ts). */
export function requesterNamed(requestedBy: string): Html {
  const [, operatorId, says = ''] = /^operator (\S+?)(, says: .*)?$/s.exec(requestedBy) ?? [];
  return operatorId === undefined
    ? html`<bdi>${requestedBy}</bdi>`
    : html`${named.operator(operatorId)}<bdi>${says}</bdi>`;
}
