import { createHash } from 'node:crypto';
import { Html, html } from './html.js';

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; color: #1b1b1f; background: #f4f4f7; margin: 0; }
main { max-width: 26rem; margin: 8vh auto; padding: 2rem; background: #fff; border-radius: .75rem; }
h1 { font-size: 1.3rem; margin: 0 0 1rem; }
label { display: block; margin: 1rem 0 .25rem; }
input { width: 100%; box-sizing: border-box; font: inherit; padding: .5rem; border: 1px solid #767680; border-radius: .4rem; }
button { font: inherit; padding: .5rem 1.25rem; margin: 1.25rem .5rem 0 0; border: 1px solid #3047b0; border-radius: .4rem; background: #fff; color: #3047b0; }
button.main { background: #3047b0; color: #fff; }
.problem { color: #9b1c1c; }
.quiet { color: #55555f; font-size: .9rem; }
`;

/** In one piece: the policy below admits exactly this text. */
const styleElement = new Html(`<style>${style}</style>`);
const styleHash = createHash('sha256').update(style).digest('base64');

/** A whole page. */
export function layout(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Plaza</title>
        ${styleElement}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`.text;
}

/**
 * Headers of every page: no script, nothing from elsewhere, in nobody's frame, in no cache.
 * @param formTarget origin that submitting a form may end at besides the network's: browsers apply `form-action` to
 * the redirects that follow too, and consent ends at the application.
 */
export function pageHeaders(formTarget?: string): Record<string, string> {
  const formAction = formTarget === undefined ? "'self'" : `'self' ${formTarget}`;
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    // Not no-referrer, under which browsers send `Origin: null` with a form.
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}
