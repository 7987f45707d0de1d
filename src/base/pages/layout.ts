import { createHash } from 'node:crypto';
import { Html, html } from './html.js';
import { ICON_PATH } from './icon.js';
import { style } from './style.js';

/** A style sheet that is part of a page. The content security policy admits exactly this text, by its hash. */
export class StyleSheet {
  readonly element: Html;
  readonly hash: string;

  constructor(text: string) {
    this.element = new Html(`<style>${text}</style>`);
    this.hash = createHash('sha256').update(text).digest('base64');
  }
}

/** A script that is part of a page, after its content. The content security policy admits exactly this text, by its hash. */
export class Script {
  readonly element: Html;
  readonly hash: string;

  constructor(text: string) {
    this.element = new Html(`<script>${text}</script>`);
    this.hash = createHash('sha256').update(text).digest('base64');
  }
}

const common = new StyleSheet(style);

export const mark = html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" aria-hidden="true">
  <path d="M3 21V10a4.5 4.5 0 0 1 9 0v11M12 21V10a4.5 4.5 0 0 1 9 0v11" stroke-width="2.2" />
  <path d="M1.5 21h21" stroke-width="2.2" stroke-linecap="round" />
</svg>`;

export interface PageFrame {
  readonly corner?: Html | undefined;
  readonly foot?: Html | undefined;
  readonly wide?: boolean;
  /** It is opened as a file, where addresses of the network lead nowhere. */
  readonly isFile?: boolean;
  /** Added to the common sheet; the page's policy must admit it too (`pageHeaders`). */
  readonly sheet?: StyleSheet;
  /** The page's policy must admit it too (`pageHeaders`). */
  readonly script?: Script | undefined;
}

export function pageLayout(
  title: string,
  content: Html,
  { corner, foot, wide = false, isFile = false, sheet, script }: PageFrame = {},
): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Plaza</title>
        ${isFile ? undefined : html`<link rel="icon" href="${ICON_PATH}" type="image/svg+xml" />`}
        ${common.element}${sheet?.element}
      </head>
      <body ${wide ? html`class="wide"` : undefined}>
        <header>
          ${
            isFile
              ? html`<p class="wordmark">${mark} Plaza</p>`
              : html`<a class="wordmark" href="/">${mark} Plaza</a>`
          }
          ${corner}
        </header>
        <main>${wide ? content : html`<div class="card">${content}</div>`}</main>
        ${foot && html`<footer>${foot}</footer>`} ${script?.element}
      </body>
    </html>`.text;
}

/**
 * Headers of a page: no script but the given one, no foreign content but its icon, no framing, no caching. `formTarget`: an origin besides the
 * network's at which a form submission may end. Browsers apply `form-action` to redirects too, and consent redirects
 * to the application.
 */
export function pageHeaders(
  formTarget?: string,
  sheet?: StyleSheet,
  script?: Script,
): Record<string, string> {
  const styles = [common, ...(sheet ? [sheet] : [])].map(({ hash }) => `'sha256-${hash}'`).join(' ');
  const formAction = formTarget === undefined ? "'self'" : `'self' ${formTarget}`;
  const scripts = script ? ` script-src 'sha256-${script.hash}';` : '';
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${styles};${scripts} img-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    // With no-referrer, browsers send `Origin: null` with a form.
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}
