import { describe, expect, it } from '@jest/globals';
import { landingPage } from './landing.page.js';
import type { LandingPage } from './landing.page.js';

const baseUrl = 'https://plaza.example:8443';
const page = (changes: Partial<LandingPage> = {}) =>
  landingPage({ baseUrl, isOpen: true, contact: undefined, numbers: undefined, ...changes });

describe('the landing page', () => {
  it('names the network', () => {
    expect(page()).toContain('<title>plaza.example:8443 · Plaza</title>');
    expect(page()).toContain('<p class="host">plaza.example:8443</p>');
  });

  it('links to sign-up where registration is open alone, and says elsewhere whom to ask', () => {
    const states = [true, false, undefined].map((isOpen) => page({ isOpen }));
    expect(states.map((each) => each.includes(`${baseUrl}/api/auth/account/sign-up`))).toEqual([
      true,
      false,
      false,
    ]);
    expect(states.map((each) => each.includes('Ask the operators of this network for an account'))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it.each([
    ['help@plaza.example', 'mailto:help@plaza.example'],
    ['https://plaza.example/help?a&b', 'https://plaza.example/help?a&amp;b'],
  ])('links to the operators: %s', (contact, address) => {
    expect(page({ contact }).split(`<a href="${address}">`)).toHaveLength(3);
    expect(page({ contact, isOpen: false }).split(`<a href="${address}">`)).toHaveLength(4);
  });

  it('has numbers only if they are given, and none that is smaller than 20 or larger than the count goes', () => {
    expect(page()).not.toContain('last seven days');
    const at = Date.UTC(2026, 0, 31, 9, 30);
    const shown = (posts: number, accounts: number) =>
      [...page({ numbers: { at, posts, accounts } }).matchAll(/<dd>(.*)<\/dd>/g)].map(([, text]) => text);
    expect(shown(0, 19)).toEqual(['fewer than 20', 'fewer than 20']);
    expect(shown(20, 9_999)).toEqual(['20', '9,999']);
    expect(shown(10_000, 20)).toEqual(['10,000 or more', '20']);
    expect(page({ numbers: { at, posts: 1, accounts: 1 } })).toContain('31 Jan 2026, 09:30 UTC</time>');
  });
});
