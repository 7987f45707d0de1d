import { describe, expect, it } from '@jest/globals';
import { mailboxOf } from './mailbox.js';

describe('a mailbox', () => {
  it.each([
    ['ada@example.org', 'ada@example.org', 'ada@example.org'],
    ['Ada.Lovelace+plaza@Example.ORG', 'Ada.Lovelace+plaza@example.org', 'ada.lovelace+plaza@example.org'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ["o'brien@a-b.co.uk", "o'brien@a-b.co.uk", "o'brien@a-b.co.uk"],
    [`${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`],
  ])('is read from %j', (typed, address, key) => {
    expect(mailboxOf(typed)).toEqual({ address, key });
  });

  it.each([
    ['a quoted local part', '"ada@evil.example x"@example.org'],
    ['a comment', 'ada@example.org(x)evil.example'],
    ['a comment before the domain', 'ada@(x)example.org'],
    ['a list', 'ada@example.org,eve@evil.example'],
    ['a list with a semicolon', 'ada@example.org;eve@evil.example'],
    ['angle brackets', '<ada@example.org>'],
    ['a display name', 'Ada <ada@example.org>'],
    ['an address literal', 'ada@[127.0.0.1]'],
    ['an IP address', 'ada@127.0.0.1'],
    ['a number that is an IP address', 'ada@2130706433'],
    ['two signs', 'ada@evil.example@example.org'],
    ['a path', 'ada@example.org/evil.example'],
    ['a port', 'ada@example.org:25'],
    ['a percent sign in the domain', 'ada@example%2eorg'],
    ['a line feed', 'ada@example.org\nBcc: eve@evil.example'],
    ['a null character', 'ada\0@example.org'],
    ['a local part in other letters', 'ädä@example.org'],
    ['two dots', 'ada..l@example.org'],
    ['a dot at the end', 'ada.@example.org'],
    ['a domain of one label', 'ada@localhost'],
    ['a domain that ends with a dot', 'ada@example.org.'],
    ['a label that begins with a hyphen', 'ada@-example.org'],
    ['a long local part', `${'a'.repeat(65)}@example.org`],
    ['a long domain', `ada@${'a.'.repeat(126)}example`],
    ['no domain', 'ada@'],
    ['no local part', '@example.org'],
    ['no sign', 'ada'],
    ['nothing', ''],
  ])('is not read from %s', (_what, typed) => {
    expect(mailboxOf(typed)).toBeUndefined();
  });
});
