import { describe, expect, it } from '@jest/globals';
import { fieldsHtml, descriptionHtml, typeOf } from './schema.html.js';

/** The visible text. */
const words = (html: { readonly text: string } | undefined) =>
  (html?.text ?? '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('a schema shown to people', () => {
  it.each([
    [{ type: 'string' }, 'string'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ $ref: '#/components/schemas/Post' }, 'Post'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Post' } }, 'list of Post'],
    [{ enum: ['follow', 'like'] }, '&quot;follow&quot; or &quot;like&quot;'],
    [{ type: 'integer', minimum: 1, maximum: 500 }, 'integer , from 1 to 500'],
    [{ type: 'string', minLength: 1, maxLength: 64 }, 'string , from 1 to 64 characters'],
    [{ type: 'string', minLength: 1 }, 'string'],
    [{ type: 'string', pattern: '^[0-9]+$' }, 'string ^[0-9]+$'],
    [{}, 'anything'],
  ])('%j is %s', (schema, expected) => {
    expect(words(typeOf(schema))).toBe(expected);
  });

  it('lists the fields of an object, even of alternatives and nested objects', () => {
    const inner = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
    const outer = {
      type: 'object',
      properties: { app: inner, note: { type: 'string', description: 'For you.' } },
    };
    expect(words(fieldsHtml({ oneOf: [outer] }))).toBe(
      'app optional object id string note optional string For you.',
    );
    expect(fieldsHtml({ type: 'string' })).toBeUndefined();
  });

  it('escapes its content, and marks names between backticks as code', () => {
    expect(descriptionHtml('Send `a<b>` & go').text).toBe('Send <code>a&lt;b&gt;</code> &amp; go');
  });
});
