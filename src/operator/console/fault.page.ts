import { html } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { consolePage } from './layout.js';
import { named } from './names.js';
import type { Frame } from '../desk/page.js';

export interface ShownFault {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Undefined: the start page alone. */
  readonly ways?: Html | undefined;
}

export function faultPage(frame: Frame, { status, code, message, ways }: ShownFault): string {
  const title = titles.get(status) ?? 'This did not work';
  const content = html`<div class="card">
    <h1>${title}</h1>
    <p>${withOperators(message)}</p>
    ${ways}
    <p><a href="/console">Go to the console</a>.</p>
    <p class="small quiet">${code}</p>
  </div>`;
  return consolePage(title, content, frame);
}

/** A message is the same for programs, so it has the id of an operator. */
const withOperators = (message: string): readonly Html[] =>
  message
    .split(/(?<=\boperator )([\w-]{22,36})(?= )/i)
    .map((part, n) => (n % 2 === 0 ? html`${part}` : named.operator(part)));

const titles: ReadonlyMap<number, string> = new Map([
  [401, 'You are signed out'],
  [403, 'You may not do this'],
  [404, 'Page not found'],
  [503, 'Not available right now'],
]);
