import { describe, expect, it } from '@jest/globals';
import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { Refusal } from '../refusal.js';
import { mentionedHandles } from './mentions.js';

describe('the handles mentioned in a text', () => {
  it.each<[string, readonly string[]]>([
    ['nobody at all', []],
    ['@ada', ['ada']],
    ['hello @ada, and @bob_2!', ['ada', 'bob_2']],
    ['(@ada) "@bob" @eve.', ['ada', 'bob', 'eve']],
    ['.@ada so that everybody sees it', ['ada']],
    ['@ada: see @ada and @ADA', ['ada']],
    ['first\n@ada\t@bob', ['ada', 'bob']],
    ["@ada's lamp", ['ada']],
    ['こんにちは@adaさん', ['ada']],
    ['👋@ada👋', ['ada']],
    [`@${'x'.repeat(30)}`, ['x'.repeat(30)]],
  ])('%j', (text, handles) => {
    expect(mentionedHandles(text)).toEqual(handles);
  });

  it.each([
    ['is too short', '@ad and @'],
    ['is too long', `@${'x'.repeat(31)}`],
    ['continues with a letter that handles lack', '@andr\u00e9 and @ada\u0301'],
    ['contains a lookalike letter', '@\u017fam @a\u0430a'],
    ['is part of an e-mail address', 'write to someone@example.org or \u00e9@example'],
    ['is part of a path', 'example.org/@ada'],
    ['is part of a URL', 'https://example.org/?by=@ada and http://u:p.@host/@bob'],
    ['belongs to another network', '@ada@elsewhere.example'],
    ['is a domain', '@ada.example'],
    ['follows another @', '@@ada'],
    ['follows a hyphen or an underscore', 'x-@ada _@bob'],
  ])('are none where it %s', (_why, text) => {
    expect(mentionedHandles(text)).toEqual([]);
  });

  it('are at most fifty, each counted once', () => {
    const fifty = Array.from({ length: 50 }, (_, index) => `@handle_${index}`).join(' ');
    expect(mentionedHandles(`${fifty} ${fifty}`)).toHaveLength(50);
    const refusal = mentionedHandles(`${fifty} @one_more`);
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject({ code: 'domain_plan_too_large' });
  });

  it('are valid handles for any text', () => {
    const text = array(oneof(constantFrom('@', 'ada', ' ', '.', '/', '://', '\u00e9'), string()));
    assert(
      property(text, (parts) => {
        const handles = mentionedHandles(parts.join(''));
        for (const handle of handles as readonly string[]) expect(handle).toMatch(/^[a-z0-9_]{3,30}$/);
      }),
    );
  });

  it('are found in the longest text without backtracking', () => {
    for (const text of ['a'.repeat(65_536), '@a'.repeat(32_768), 'a+'.repeat(32_768), '://'.repeat(20_000)])
      expect(mentionedHandles(text)).toEqual([]);
  });
});
