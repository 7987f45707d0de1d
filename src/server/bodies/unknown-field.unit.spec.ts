import { describe, expect, it } from '@jest/globals';
import { unknownField } from './unknown-field.js';

describe('the refusal of unknown fields', () => {
  it.each([
    [['colour', 'size'], 'Unknown field: colour, size.'],
    [['x'.repeat(5_000)], `Unknown field: ${'x'.repeat(64)}\u2026.`],
    [['a\u202eb\n'], 'Unknown field: a\\u202eb\\u000a.'],
  ])('names %j shortly and plainly', (names, message) => {
    expect(unknownField(names)).toMatchObject({ code: 'unknown_or_immutable_field', message });
  });
});
