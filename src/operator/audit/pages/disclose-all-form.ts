import { hiddenField, html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { mayDo } from '../../console/may.js';
import { actForm } from '../../console/parts.js';
import type { Frame } from '../../desk/page.js';

/** Offers these texts all at once, in the answer to the form. Undefined: none, or no permission. */
export function discloseAllForm({ proof, session }: Frame, eventIds: readonly string[]): Html | undefined {
  if (eventIds.length === 0 || !mayDo(session, 'text.disclose')) return undefined;
  return actForm({
    action: '/console/texts/disclose',
    button: `Disclose ${eventIds.length === 1 ? 'the text that is' : `the ${eventIds.length} texts that are`} not public`,
    proof,
    id: 'disclose-all',
    reason: 'required',
    fields: html`${eventIds.map((eventId) => hiddenField('eventIds', eventId))}`,
  });
}
