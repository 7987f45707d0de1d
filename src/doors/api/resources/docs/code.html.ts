import { html } from '../../../../base/pages/html.js';
import type { Html } from '../../../../base/pages/html.js';

/** A name in angle brackets, except of an address: the guide of a network has its own there. */
const placeholder = '<(?!(?:BASE_URL|HOST|ISSUER_ENCODED)>)[A-Z_]+>';
const json = String.raw`(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>(?<![\w.%-])-?\d[\d.]*(?![\w.%-])|\b(?:true|false|null)\b)|(?<variable>${placeholder})`;

/** Marks of each language. A group names its class in the style sheet. */
const languages: Readonly<Record<string, RegExp>> = {
  json: new RegExp(json, 'g'),
  http: new RegExp(String.raw`(?<verb>^(?:[A-Z]+(?= /)|HTTP/1\.1)|^[\w-]+(?=: ))|${json}`, 'gm'),
  sh: new RegExp(
    String.raw`(?<string>'[^']*'|"(?:[^"\\]|\\.)*")|(?<variable>\$\w+|${placeholder})|(?<verb>^(?:curl|npx|npm|export)\b|(?<=\s)--?[A-Za-z][\w-]*)`,
    'gm',
  ),
  ts: /(?<comment>\/\/.*$)|(?<string>'(?:[^'\\]|\\.)*'|`[^`]*`)|(?<verb>\b(?:import|from|export|type|const|await|if|throw|new)\b)|(?<number>\b\d+\b)/gm,
};

function highlighted(text: string, language: string): Html {
  const parts: Html[] = [];
  let end = 0;
  for (const { 0: token, index, groups = {} } of text.matchAll(languages[language] ?? /(?!)/g)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    parts.push(html`${text.slice(end, index)}<span class="${kind}">${token}</span>`);
    end = index + token.length;
  }
  return html`${parts}${text.slice(end)}`;
}

/** A block of code. Its text without the tags is exactly `text`. The script adds a button that copies it. */
export const codeHtml = (text: string, language: string, caption?: string): Html =>
  html`<figure class="code">
    ${caption === undefined ? undefined : html`<figcaption>${caption}</figcaption>`}
    <pre tabindex="0"><code>${highlighted(text, language)}</code></pre>
  </figure>`;

export const jsonHtml = (value: unknown, caption?: string): Html =>
  codeHtml(JSON.stringify(value, undefined, 2), 'json', caption);

/** A heading that is a link to itself. */
export const headingHtml = (level: number, id: string, content: Html | string): Html =>
  html`<h${String(level)} id="${id}"><a href="#${id}">${content}</a></h${String(level)}>`;
