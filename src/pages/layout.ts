import { createHash } from 'node:crypto';
import { Html, html } from './html.js';
import { style } from './style.js';

/** A style sheet in one piece: the policy below admits exactly its text. */
export class Sheet {
  readonly element: Html;
  readonly hash: string;

  constructor(text: string) {
    this.element = new Html(`<style>${text}</style>`);
    this.hash = createHash('sha256').update(text).digest('base64');
  }
}

const common = new Sheet(style);

/** An open square between two colonnades. */
const mark = html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" aria-hidden="true">
  <path d="M3 21V10a4.5 4.5 0 0 1 9 0v11M12 21V10a4.5 4.5 0 0 1 9 0v11" stroke-width="2.2" />
  <path d="M1.5 21h21" stroke-width="2.2" stroke-linecap="round" />
</svg>`;

export interface Frame {
  /** Beside the wordmark, at the other end. */
  readonly corner?: Html | undefined;
  /** Below everything. */
  readonly foot?: Html | undefined;
  /** For a page of several parts, each on a card of its own. */
  readonly wide?: boolean;
  /** Beside what is common to all pages; its policy is to admit it too. */
  readonly sheet?: Sheet;
}

/** A whole page. */
export function layout(
  title: string,
  content: Html,
  { corner, foot, wide = false, sheet }: Frame = {},
): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Plaza</title>
        ${common.element}${sheet?.element}
      </head>
      <body ${wide ? html`class="wide"` : undefined}>
        <header>
          <p class="wordmark">${mark} Plaza</p>
          ${corner}
        </header>
        <main>${wide ? content : html`<div class="card">${content}</div>`}</main>
        ${foot && html`<footer>${foot}</footer>`}
      </body>
    </html>`.text;
}

/**
 * Headers of every page: no script, nothing from elsewhere, in nobody's frame, in no cache.
 * @param formTarget origin that submitting a form may end at besides the network's: browsers apply `form-action` to
 * the redirects that follow too, and consent ends at the application.
 * @param sheet of the page
 */
export function pageHeaders(formTarget?: string, sheet?: Sheet): Record<string, string> {
  const styles = [common, ...(sheet ? [sheet] : [])].map(({ hash }) => `'sha256-${hash}'`).join(' ');
  const formAction = formTarget === undefined ? "'self'" : `'self' ${formTarget}`;
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${styles}; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    // Not no-referrer, under which browsers send `Origin: null` with a form.
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}
