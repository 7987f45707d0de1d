import { describe, expect, it } from '@jest/globals';
import { partsOf } from './document.ts';

const textsOf = (markdown: string) => partsOf(markdown).map(({ kind, text }) => `${kind}: ${text}`);

describe('the parts of a document', () => {
  it('are headings, sentences, and tables row by row', () => {
    const page = `# Posts

A post is a text. It has an author.

## Fields

| Field | Type   |
| ----- | ------ |
| id    | string |
| note  |        |

- It is public. Nobody changes it.
- Nor deletes it.

1. First this.
2. Then that.
`;
    expect(textsOf(page)).toEqual([
      'heading: # Posts',
      'sentence: A post is a text.',
      'sentence: It has an author.',
      'heading: ## Fields',
      'columns: Field | Type',
      'row: id | string',
      'row: note | ',
      'sentence: It is public.',
      'sentence: Nobody changes it.',
      'sentence: Nor deletes it.',
      'sentence: First this.',
      'sentence: Then that.',
    ]);
  });

  it.each([
    ['a lowercase name in backticks', 'It is so. `id` is text.', 2],
    ['a full stop in backticks', 'See `a. B` for it. Or not.', 2],
    ['a full stop in brackets', 'It is so (as here. Or there) and {a. B}.', 1],
    ['a number with a point', 'OAuth 2.0 is used. It is.', 2],
    ['no full stop', '200: `{ok}`', 1],
  ])('are divided correctly with %s', (_what, text, count) => {
    const parts = partsOf(text);
    expect(parts).toHaveLength(count);
    expect(parts.map((part) => part.text).join(' ')).toBe(text);
  });

  it('together are the whole text except the marks between them', () => {
    const text = '- One. Two (three. Four). `five`: six.\n- Seven.';
    expect(partsOf(text).map((part) => part.text)).toEqual([
      'One.',
      'Two (three. Four).',
      '`five`: six.',
      'Seven.',
    ]);
  });
});
