import { html } from '../base/pages/html.js';
import type { Html } from '../base/pages/html.js';
import { pageLayout } from '../base/pages/layout.js';
import { operators } from '../base/pages/operators.js';

export interface RefusalPage {
  readonly status: number;
  readonly code: string;
  readonly title?: string | undefined;
  /** For the person. `advice`: what they can do, and who else can. */
  readonly message: string;
  readonly advice: Html;
  /** For a developer, beside the code. */
  readonly detail?: string | undefined;
  readonly contact: string | undefined;
  /** Undefined: the page was made before the request. */
  readonly requestId?: string | undefined;
}

/** The page of a refused request, in place of an Error object. */
export function refusalPage(page: RefusalPage): string {
  const { status, code, message, advice, detail, contact, requestId } = page;
  const title = page.title ?? titles.get(status) ?? 'This did not work';
  return pageLayout(
    title,
    html`<h1>${title}</h1>
      <p>${message}</p>
      ${advice} ${status >= 500 ? ofOperators(contact, requestId) : undefined}
      <p class="small quiet">${code}${detail && `: ${detail}`}</p>
      ${requestId && html`<p class="small quiet">Request ${requestId}</p>`}`,
  );
}

const titles: ReadonlyMap<number, string> = new Map([
  [403, 'This is not possible now'],
  [404, 'Page not found'],
  [405, 'This address is no page'],
  [429, 'Too many tries'],
  [500, 'Something failed here'],
  [503, 'Not available right now'],
]);

function ofOperators(contact: string | undefined, requestId: string | undefined): Html {
  const withId = requestId === undefined ? '' : ', and tell them the number of this request';
  return html`<p>If this goes on, only ${operators(contact)} can mend it: ask them${withId}.</p>`;
}
