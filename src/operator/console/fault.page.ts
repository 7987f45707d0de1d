import { html } from '../../base/pages/html.js';
import { consolePage } from './layout.js';
import type { Frame } from '../desk/page.js';

export interface ShownFault {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export function faultPage(frame: Frame, { status, code, message }: ShownFault): string {
  const title = titles.get(status) ?? 'This did not work';
  const content = html`<div class="card">
    <h1>${title}</h1>
    <p>${message}</p>
    <p><a href="/console">Go to the console</a>.</p>
    <p class="small quiet">${code}</p>
  </div>`;
  return consolePage(title, content, frame);
}

const titles: ReadonlyMap<number, string> = new Map([
  [401, 'You are signed out'],
  [403, 'You may not do this'],
  [404, 'Page not found'],
  [503, 'Not available right now'],
]);
