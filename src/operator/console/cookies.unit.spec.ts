import { describe, expect, it } from '@jest/globals';
import { ConsoleCookies } from './cookies.js';

const secret = 'a'.repeat(43);

describe('the cookies of the console', () => {
  it('travel over https alone if the console is there', () => {
    const cookies = new ConsoleCookies('https://ops.example');
    expect(cookies.set(cookies.session, secret)).toBe(
      `__Secure-plaza_operator=${secret}; Path=/console; HttpOnly; SameSite=Strict; Secure`,
    );
    expect(cookies.clear(cookies.session)).toBe(
      '__Secure-plaza_operator=; Path=/console; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
    );
  });

  it('are read by their exact name, and only as this server makes them', () => {
    const cookies = new ConsoleCookies('http://localhost:3001');
    const { session } = cookies;
    expect(cookies.read(`plaza_session=x; plaza_operator=${secret}`, session)).toBe(secret);
    for (const header of [
      undefined,
      '',
      `xplaza_operator=${secret}`,
      'plaza_operator=short',
      `plaza_operator=${secret}"`,
    ])
      expect(cookies.read(header, session)).toBeUndefined();
  });

  it('keep the filters of the queue', () => {
    const cookies = new ConsoleCookies('http://localhost:3001');
    const kept = cookies.keepFilters('state=open&author=a-1');
    expect(kept).toMatch(
      /^plaza_operator_filters=[A-Za-z0-9_-]+; Path=\/console; HttpOnly; SameSite=Strict$/,
    );
    expect(cookies.readFilters(`plaza_operator=x; ${kept.split(';')[0]}`)).toBe('state=open&author=a-1');
    expect(cookies.readFilters(undefined)).toBe('');
  });
});
