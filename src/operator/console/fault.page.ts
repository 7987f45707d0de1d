import { html } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { quotation } from '../../base/pages/quotation.js';
import { caseKeysAsset } from './assets.js';
import { consolePage } from './layout.js';
import { named, namedCase } from './names.js';
import type { Frame } from '../desk/page.js';

export interface ShownFault {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Ways on, beside the start page. */
  readonly ways: readonly Html[];
  /** Texts of a form that is refused, after their labels. */
  readonly written: readonly (readonly [label: string, text: string])[];
}

export function faultPage(frame: Frame, { status, code, message, ways, written }: ShownFault): string {
  const title = titles.get(status) ?? 'This did not work';
  const content = html`<div class="card">
    <h1>${title}</h1>
    <p>${withNamed(message)}</p>
    ${written.map(([label, text]) => quotation(label, text))} ${ways}
    <p><a href="/console">Go to the console</a>.</p>
    <p class="small quiet">${code}</p>
  </div>`;
  return consolePage(title, content, frame, {
    scripts: ways.some(({ text }) => text.includes('aria-keyshortcuts')) ? [caseKeysAsset.path] : [],
  });
}

/** A message is the same for programs, so it has ids of operators and cases. */
const withNamed = (message: string): readonly Html[] =>
  message.split(/((?<=\boperator )[\w-]{22,36}|(?<=\bcase )(?:post|actor)-[\w-]+)(?= )/i).map((part, n) => {
    if (n % 2 === 0) return html`${part}`;
    return /^(post|actor)-/.test(part) ? namedCase(part) : named.operator(part);
  });

const titles: ReadonlyMap<number, string> = new Map([
  [401, 'You are signed out'],
  [403, 'You may not do this'],
  [404, 'Page not found'],
  [503, 'Not available right now'],
]);
