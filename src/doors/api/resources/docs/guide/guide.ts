import { readFileSync } from 'node:fs';
import { packageRoot } from '../../../../../base/config/version.js';
import { html } from '../../../../../base/pages/html.js';

/** docs/applications.md, as the build makes it: `npm run build` writes it into `dist/guide.json`. */
export interface Guide {
  /** The page, with names in angle brackets for the addresses of a network. */
  readonly html: string;
  readonly sections: readonly GuideSection[];
  readonly codes: readonly CodeInGuide[];
}

export interface GuideSection {
  readonly id: string;
  readonly title: string;
  readonly level: number;
  /** Words of its texts, each once, for the search. */
  readonly words: string;
}

/** A code of an error in a table of the guide. */
export interface CodeInGuide {
  /** Id of the heading above the table. */
  readonly section: string;
  readonly code: string;
  /** The last cell of its row, as HTML. */
  readonly remedy: string;
}

/** The start of a link to another file of the source. */
export const SOURCE = 'source:';

export const readGuide = (): Guide =>
  JSON.parse(readFileSync(new URL('dist/guide.json', packageRoot()), 'utf8')) as Guide;

interface Addresses {
  readonly baseUrl: string;
  /** Undefined: links to the source are texts. */
  readonly sourceUrl: string | undefined;
}

/** The guide with the addresses of this network. */
export function guideAt(guide: Guide, { baseUrl, sourceUrl }: Addresses): Guide {
  const names: Record<string, string> = {
    BASE_URL: baseUrl,
    HOST: new URL(baseUrl).host,
    ISSUER_ENCODED: encodeURIComponent(`${baseUrl}/api/auth`),
  };
  const text = guide.html
    .replaceAll(/&lt;([A-Z_]+)&gt;/g, (whole, name: string) => names[name] ?? whole)
    .replaceAll(
      new RegExp(`<a href="${SOURCE}([^"]*)">(.*?)</a>`, 'gs'),
      (_whole, path: string, content: string) =>
        sourceUrl === undefined
          ? content
          : html`<a href="${new URL(path, sourceUrl.replace(/\/?$/, '/')).href}">`.text + content + '</a>',
    );
  return { ...guide, html: text };
}
