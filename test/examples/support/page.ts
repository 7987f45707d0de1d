/** Blocks of code of a served page, with the text that a reader copies. */

export interface CodeBlock {
  readonly caption: string | undefined;
  readonly text: string;
}

export function codeBlocksOf(page: string): CodeBlock[] {
  return [
    ...page.matchAll(
      /<figure class="code">\s*(?:<figcaption>([^<]*)<\/figcaption>)?\s*<pre[^>]*><code>(.*?)<\/code>/gs,
    ),
  ].map(([, caption, code = '']) => ({ caption, text: textOf(code) }));
}

const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&(lt|gt|quot|#39|amp);/g, (_whole, name: string) => characters[name] ?? '');
