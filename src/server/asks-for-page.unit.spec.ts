import { expect, it } from '@jest/globals';
import { asksForPage } from './asks-for-page.js';

it.each([
  ['text/html', true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['application/json, Text/HTML ; q=0.5', true],
  ['text/html;level=1', true],
  ['text/html;q=0', false],
  ['application/json, text/html; q=0.000', false],
  ['*/*', false],
  ['text/*', false],
  ['text/htmlx', false],
  ['application/json', false],
  ['', false],
])('Accept: %s', (accept, expected) => expect(asksForPage({ accept })).toBe(expected));

it('no Accept asks for none', () => expect(asksForPage({})).toBe(false));
