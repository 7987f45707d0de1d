import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';
import { configFaultsOf } from '../../../test/support/config-faults.js';
import { parseEventStoreAddress } from './event-store-address.js';
import { environmentFor } from './settings.js';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'plaza-passwords-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

function fileWith(content: string | Buffer): string {
  const path = join(mkdtempSync(join(dir, 'file-')), 'password');
  writeFileSync(path, content);
  return path;
}

/** Each has characters that mean something in an address. */
const passwords = ['a/b+c=', '%41:@?#&', 'it\'s 100% {}[]|\\^`"<>', 'päß 🔑', '://a:b@c/d?e'];

describe('a password in a file', () => {
  it.each(passwords)('belongs to the user of the event store: %s', (password) => {
    const EVENTSTORE_PASSWORD_FILE = fileWith(password);
    for (const address of ['esdb://ann@one:2111,two?tls=true', 'kurrentdb+discover://ann:@one']) {
      const { eventStoreUrl } = readConfig({ EVENTSTORE_URL: address, EVENTSTORE_PASSWORD_FILE });
      const parsed = parseEventStoreAddress(eventStoreUrl ?? '');
      expect(parsed.credentials).toEqual({ username: 'ann', password });
      expect({ ...parsed, credentials: undefined }).toEqual({
        ...parseEventStoreAddress(address.replace(/ann:?@/, '')),
      });
    }
  });

  it.each(passwords)('belongs to the user of each database: %s', (password) => {
    const config = readConfig({
      DATABASE_URL: 'postgres://ann@db:5432/plaza?sslmode=disable',
      DATABASE_PASSWORD_FILE: fileWith(password),
      VAULT_DATABASE_URL: 'postgresql://bob@vault/plaza_vault',
      VAULT_DATABASE_PASSWORD_FILE: fileWith(`${password}1`),
      WITNESS_DATABASE_URL: 'postgres://b%40b:@vault/plaza_witness',
      WITNESS_DATABASE_PASSWORD_FILE: fileWith(`${password}2`),
    });
    const urls = [config.databaseUrl, config.vaultDatabaseUrl, config.witnessDatabaseUrl].map(
      (url) => new URL(url ?? ''),
    );
    expect(urls.map((url) => decodeURIComponent(url.password))).toEqual([
      password,
      `${password}1`,
      `${password}2`,
    ]);
    for (const url of urls) url.password = '';
    expect(urls.map(String)).toEqual([
      'postgres://ann@db:5432/plaza?sslmode=disable',
      'postgresql://bob@vault/plaza_vault',
      'postgres://b%40b@vault/plaza_witness',
    ]);
  });

  it.each(['secret\n', 'secret\r\n', 'secret'])('may end with a newline: %j', (content) => {
    const env = { DATABASE_URL: 'postgres://ann@db/plaza', DATABASE_PASSWORD_FILE: fileWith(content) };
    expect(readConfig(env).databaseUrl).toBe('postgres://ann:secret@db/plaza');
  });

  it('is passed to our child processes in their addresses, so that they do not read the file', () => {
    const EVENTSTORE_PASSWORD_FILE = fileWith('a/b');
    process.env['EVENTSTORE_PASSWORD_FILE'] = EVENTSTORE_PASSWORD_FILE;
    try {
      const config = readConfig({ EVENTSTORE_URL: 'esdb://ann@db', EVENTSTORE_PASSWORD_FILE });
      expect(readConfig(environmentFor(config))).toEqual(config);
    } finally {
      delete process.env['EVENTSTORE_PASSWORD_FILE'];
    }
  });
});

describe('an unusable password file', () => {
  const unusable: readonly [string, () => string, string][] = [
    ['is missing', () => join(dir, 'none'), 'names a file that does not exist'],
    ['cannot be read', () => dir, 'names a file that cannot be read (EISDIR)'],
    ['is empty', () => fileWith(''), 'names a file that is empty'],
    ['has a newline alone', () => fileWith('\n'), 'names a file that is empty'],
    [
      'has several lines',
      () => fileWith('secret\nsecret\n'),
      'names a file with several lines; it must hold the password alone',
    ],
    ['is no text', () => fileWith(Buffer.of(0xff, 0xfe)), 'names a file that is not UTF-8 text'],
  ];

  it.each(unusable)('that %s is named by its variable alone', (_, path, fault) => {
    const files = { EVENTSTORE_PASSWORD_FILE: path(), WITNESS_DATABASE_PASSWORD_FILE: path() };
    const urls = { EVENTSTORE_URL: 'esdb://ann@db', WITNESS_DATABASE_URL: 'postgres://ann@db/plaza' };
    expect(configFaultsOf({ ...files, ...urls })).toEqual([
      `EVENTSTORE_PASSWORD_FILE: ${fault}`,
      `WITNESS_DATABASE_PASSWORD_FILE: ${fault}`,
    ]);
  });

  it.each([
    ['postgres://db/plaza', 'DATABASE_URL names no user: write user@ before the host'],
    ['postgres://a:secret@db/plaza', 'DATABASE_URL has a password as well: leave one of the two out'],
    ['postgres://a@db/p?password=secret', 'DATABASE_URL has a password as well: leave one of the two out'],
    [undefined, 'is set, and DATABASE_URL is not'],
  ])('conflicts with the database address %s', (url, fault) => {
    expect(configFaultsOf({ DATABASE_URL: url, DATABASE_PASSWORD_FILE: fileWith('x') })).toEqual([
      `DATABASE_PASSWORD_FILE: ${fault}`,
    ]);
  });

  it.each([
    ['esdb://db', 'EVENTSTORE_URL names no user: write user@ before the host'],
    ['esdb://ann:secret@db', 'EVENTSTORE_URL has a password as well: leave one of the two out'],
    [undefined, 'is set, and EVENTSTORE_URL is not'],
  ])('conflicts with the event store address %s', (url, fault) => {
    expect(configFaultsOf({ EVENTSTORE_URL: url, EVENTSTORE_PASSWORD_FILE: fileWith('x') })).toEqual([
      `EVENTSTORE_PASSWORD_FILE: ${fault}`,
    ]);
  });

  it('is reported together with other faults', () => {
    const files = { EVENTSTORE_PASSWORD_FILE: dir, DATABASE_PASSWORD_FILE: fileWith('x') };
    const faults = configFaultsOf({
      ...files,
      PORT: 'x',
      EVENTSTORE_URL: 'esdb://ann@db?tls=secret',
      DATABASE_URL: 'mysql://secret@db/plaza',
    });
    expect(faults.map((line) => line.split(':')[0])).toEqual([
      'PORT',
      'EVENTSTORE_URL',
      'DATABASE_URL',
      'EVENTSTORE_PASSWORD_FILE',
    ]);
    expect(faults.join()).not.toContain('secret');
  });
});
