import { html } from './html.js';
import type { Html } from './html.js';

/** Names the operators, and how to reach them if they say so. `contact`: an e-mail address or a URL. */
export function operators(contact: string | undefined): Html {
  if (contact === undefined) return html`the operators of this network`;
  const address = contact.includes('://') ? contact : `mailto:${contact}`;
  return html`the operators of this network (<a href="${address}">${contact}</a>)`;
}
