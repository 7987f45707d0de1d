import { describe, expect, it } from '@jest/globals';
import { guideAt } from './guide.js';
import { guideOf } from './markdown.js';

const addresses = { baseUrl: 'https://plaza.example:8443', sourceUrl: undefined };
const shown = (markdown: string, sourceUrl?: string) =>
  guideAt(guideOf(markdown, 'docs'), { ...addresses, sourceUrl }).html.replaceAll(/>\s*\n\s*</g, '><');

describe('the guide as a page', () => {
  it.each([
    ['a heading', '## Sign in, out\n', '<h2 id="sign-in-out"><a href="#sign-in-out">Sign in, out</a></h2>'],
    ['a paragraph', 'One\nand **two `a`**.\n', '<p>One\nand <strong>two <code>a</code></strong>.</p>'],
    ['a list', '- one\n  and more\n- two\n', '<ul><li>one\n  and more</li><li>two</li></ul>'],
    ['the rest of a list', '4. four\n5. five\n', '<ol start="4"><li>four</li><li>five</li></ol>'],
    ['characters of HTML', 'a < b & `<c>`\n', '<p>a &lt; b &amp; <code>&lt;c&gt;</code></p>'],
    [
      'its own addresses',
      '`<BASE_URL>/x` `<HOST>` `<CLIENT_ID>`\n',
      '<p><code>https://plaza.example:8443/x</code> <code>plaza.example:8443</code> <code>&lt;CLIENT_ID&gt;</code></p>',
    ],
    ['a link to a part of it', '[there](#there)\n', '<p><a href="#there">there</a></p>'],
    ['a link to the source as a text', '[`client/`](../client)\n', '<p><code>client/</code></p>'],
  ])('has %s', (_what, markdown, expected) => {
    expect(shown(markdown)).toBe(expected);
  });

  it.each(['https://code.example/plaza/v1', 'https://code.example/plaza/v1/'])(
    'links to the source at %s',
    (sourceUrl) => {
      const page = shown('[client/](../client) and [more](more.md#here)\n', sourceUrl);
      expect(page).toContain('<a href="https://code.example/plaza/v1/client">client/</a>');
      expect(page).toContain('<a href="https://code.example/plaza/v1/docs/more.md#here">more</a>');
    },
  );

  it('keeps the text of code exactly', () => {
    const page = shown('```json\n{ "a": "<B>", "c": [1, null] }\n\n# not a heading\n```\n');
    const [, code = ''] = /<code>(.*)<\/code>/s.exec(page) ?? [];
    expect(code.replaceAll(/<[^>]+>/g, '')).toBe(
      '{ &quot;a&quot;: &quot;&lt;B&gt;&quot;, &quot;c&quot;: [1, null] }\n\n# not a heading',
    );
    expect(code).toContain('<span class="name">&quot;a&quot;</span>');
  });

  it('knows the codes of its tables, and their remedies', () => {
    const { html, codes } = guideOf(
      '## Codes\n\n| Code | Status | Do |\n| --- | --- | --- |\n| `a_b`, `c` | 400 | Send `x` |\n',
      'docs',
    );
    const remedy = 'Send <code>x</code>';
    expect(codes).toEqual([
      { section: 'codes', code: 'a_b', remedy },
      { section: 'codes', code: 'c', remedy },
    ]);
    expect(html).toContain('<th scope="col">Status</th>');
  });

  it('lists the words of a section once for the search, without those of its code', () => {
    const { sections } = guideOf(
      '## One\n\nFind a `friend-1`, find.\n\n```sh\nsecret\n```\n\n## Two\n',
      'docs',
    );
    expect(sections.map(({ id, words }) => [id, words])).toEqual([
      ['one', 'find friend-1'],
      ['two', ''],
    ]);
  });

  it.each(['a *word*\n', '> a quotation\n', '[a link](https://elsewhere.example)\n', 'an _em_ word\n'])(
    'is not made with markup that it would not show: %s',
    (markdown) => {
      expect(() => guideOf(markdown, 'docs')).toThrow(/markup|elsewhere/);
    },
  );
});
