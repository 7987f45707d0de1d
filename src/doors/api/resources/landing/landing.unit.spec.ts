import { describe, expect, it } from '@jest/globals';
import { landingPage } from './landing.page.js';

const baseUrl = 'https://plaza.example:8443';

describe('the landing page', () => {
  it('names the network', () => {
    const page = landingPage(baseUrl, true);
    expect(page).toContain('<title>plaza.example:8443 · Plaza</title>');
    expect(page).toContain('Plaza at plaza.example:8443</h1>');
  });

  it('links to sign-up where registration is open alone, and says elsewhere who creates accounts', () => {
    const signUp = `href="${baseUrl}/api/auth/account/sign-up"`;
    const open = landingPage(baseUrl, true);
    const closed = landingPage(baseUrl, false);
    expect([open.includes(signUp), closed.includes(signUp)]).toEqual([true, false]);
    expect(
      [open, closed].map((page) => page.includes('operators of this network create the accounts')),
    ).toEqual([false, true]);
  });
});
