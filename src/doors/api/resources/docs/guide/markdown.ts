import { posix } from 'node:path';
import { Html, html } from '../../../../../base/pages/html.js';
import { codeHtml, headingHtml } from '../code.html.js';
import { SOURCE } from './guide.js';
import type { CodeInGuide, Guide, GuideSection } from './guide.js';

/**
 * Converts the part of Markdown that docs/applications.md uses: headings, paragraphs, tables, flat lists, fenced code, and in
 * lines code, strong text and links.
 * @param folder of the document, from which its relative links lead
 * @throws {Error} anything else that could be markup, so that no page shows it raw.
 */
export function guideOf(markdown: string, folder: string): Guide {
  const page = new MarkdownPage(folder);
  for (const block of blocksIn(markdown)) page.add(block);
  const { parts, codes } = page;
  const sections = page.sections.map(({ id, title, level, words }) => ({
    id,
    title,
    level,
    words: [...words].join(' '),
  }));
  return { html: parts.map(({ text }) => text).join('\n'), sections, codes };
}

/** The blocks of a document: fenced code whole, everything else up to an empty line. */
const blocksIn = (markdown: string): readonly string[] =>
  markdown.match(/^```[^]*?^```$|^(?:(?!```).*\S.*(?:\n|$))+/gm) ?? [];

class MarkdownPage {
  readonly parts: Html[] = [];
  /** `words`: without those of code, which would be half of the menu. */
  readonly sections: (Omit<GuideSection, 'words'> & { readonly words: Set<string> })[] = [];
  readonly codes: CodeInGuide[] = [];

  constructor(private readonly folder: string) {}

  add(block: string): void {
    const fenced = /^```(\w*)\n([^]*?)\n```$/.exec(block);
    const [, marks, title = ''] = /^(#{1,3}) (.+)\n?$/.exec(block) ?? [];
    if (!fenced && marks === undefined) this.addWords(block);
    if (fenced) this.parts.push(codeHtml(fenced[2] ?? '', fenced[1] ?? ''));
    else if (marks !== undefined) this.addHeading(marks.length, title);
    else if (block.startsWith('|')) this.addTable(block.trimEnd().split('\n'));
    else if (/^(?:-|\d+\.) /.test(block)) this.addList(block.trimEnd());
    else this.parts.push(html`<p>${this.line(block.trimEnd())}</p>`);
  }

  private addWords(block: string): void {
    for (const [word] of block.toLowerCase().matchAll(/[a-z0-9_-]{3,24}/g))
      this.sections.at(-1)?.words.add(word);
  }

  private addHeading(level: number, title: string): void {
    const id = title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-');
    if (level > 1) this.sections.push({ id, title, level, words: new Set() });
    this.parts.push(headingHtml(level, id, this.line(title)));
  }

  private addTable(rows: readonly string[]): void {
    const [head = [], , ...body] = rows.map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
    const section = this.sections.at(-1)?.id ?? '';
    if (head[0] === 'Code')
      for (const row of body)
        for (const [, code = ''] of (row[0] ?? '').matchAll(/`(\w+)`/g))
          this.codes.push({ section, code, remedy: this.line(row.at(-1) ?? '').text });
    this.parts.push(
      html`<table>
        <thead>
          <tr>
            ${head.map((cell) => html`<th scope="col">${this.line(cell)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${body.map(
            (row) =>
              html`<tr>
                ${row.map((cell) => html`<td>${this.line(cell)}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>`,
    );
  }

  private addList(block: string): void {
    const [, first] = /^(\d+)\./.exec(block) ?? [];
    const items = block.split(/\n(?=-|\d+\. )/).map((item) => item.replace(/^(?:-|\d+\.) /, ''));
    const rows = items.map((item) => html`<li>${this.line(item)}</li>`);
    this.parts.push(
      first === undefined
        ? html`<ul>
            ${rows}
          </ul>`
        : html`<ol start="${first}">
            ${rows}
          </ol>`,
    );
  }

  /** Text with `code`, **strong** and [links](…). */
  private line(text: string): Html {
    const parts: Html[] = [];
    let end = 0;
    const plain = (upTo: number) => {
      const between = text.slice(end, upTo);
      if (/[*[\]_`]|^\s*[#>|]/m.test(between)) throw new Error(`unknown markup: ${between}`);
      parts.push(html`${between}`);
    };
    for (const found of text.matchAll(/`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)]+)\)/gs)) {
      const [whole, code, strong, linked, target = ''] = found;
      plain(found.index);
      if (code !== undefined) parts.push(html`<code>${code}</code>`);
      else if (strong !== undefined) parts.push(html`<strong>${this.line(strong)}</strong>`);
      else parts.push(html`<a href="${this.addressOf(target)}">${this.line(linked ?? '')}</a>`);
      end = found.index + whole.length;
    }
    plain(text.length);
    return html`${parts}`;
  }

  private addressOf(target: string): string {
    if (/^[#/]/.test(target)) return target;
    if (/^\w+:/.test(target)) throw new Error(`a link of the guide leads elsewhere: ${target}`);
    return SOURCE + posix.join(this.folder, target);
  }
}
