import { describe, expect, it } from '@jest/globals';
import { optionalText } from '../../domain/case/handling.js';
import { Form } from './form.js';

describe('a form of the console', () => {
  it('has the lines of a text field as they were typed, which a note or notice accepts', () => {
    const encoded = new URLSearchParams({ notice: 'No advertising.\r\nThank you.', empty: '' });
    const form = new Form(String(encoded));
    expect(form.text('notice')).toBe('No advertising.\nThank you.');
    expect(optionalText(form.text('notice'))).toBe('No advertising.\nThank you.');
    expect([form.text('empty'), form.text('missing')]).toEqual([undefined, undefined]);
  });
});
