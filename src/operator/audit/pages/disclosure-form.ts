import { html, secondElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { MAX_DISCLOSED } from '../disclose.js';
import type { Frame } from '../../desk/page.js';
import { verbOf } from '../../desk/sentences.js';
import { mayDo } from '../../console/may.js';
import { actForm } from '../../console/parts.js';

export interface WrittenText {
  readonly eventId: string;
  readonly type: string;
  readonly at: number;
}

/** Offers the texts of these events, which are shown in the answer to the form alone. Undefined: none, or no permission. */
export function disclosureForm({ proof, session }: Frame, written: readonly WrittenText[]): Html | undefined {
  if (written.length === 0 || !mayDo(session, 'text.disclose')) return undefined;
  return actForm({
    action: '/console/texts/disclose',
    button: 'Disclose texts that are not public',
    proof,
    id: 'text-disclose',
    reason: 'required',
    fields: html`<fieldset>
      <legend>Texts that these events wrote, at most ${String(MAX_DISCLOSED)}</legend>
      ${written.map(
        ({ eventId, type, at }) =>
          html`<p class="choice">
            <label
              ><input type="checkbox" name="eventIds" value="${eventId}" /> ${verbOf(type)},
              ${secondElement(at)} <code class="small">${eventId}</code></label
            >
          </p>`,
      )}
    </fieldset>`,
  });
}
