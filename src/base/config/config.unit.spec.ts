import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';
import { environmentFor } from './settings.js';
import { configFaultsOf } from '../../../test/support/config-faults.js';

describe('the configuration', () => {
  it('has a default for every setting', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      role: 'all',
      port: 3000,
      referenceAppPort: 3002,
      baseUrl: 'http://localhost:3000',
      registration: 'open',
      reservedHandles: [],
      trustedProxies: [],
      rateLimits: 'on',
      fanOutThreshold: 500,
      fourEyesMinAge: '7d',
    });
  });

  it.each(['3000', '3001'])('rejects a metrics port that the API uses: %s', (port) => {
    expect(readConfig({ METRICS_PORT: '9100' }).metricsPort).toBe(9_100);
    expect(readConfig({}).metricsPort).toBeUndefined();
    expect(configFaultsOf({ METRICS_PORT: port })).toEqual([
      'METRICS_PORT: must differ from PORT and OPERATOR_PORT',
    ]);
  });

  it.each(['-1', '1.5', '1e3', 'many'])('rejects an invalid number of followers: %s', (value) => {
    expect(configFaultsOf({ FAN_OUT_THRESHOLD: value })).toEqual([
      'FAN_OUT_THRESHOLD: must be a whole number up to 999999',
    ]);
  });

  it.each(['', 'critical', 'grave=4', 'low=0', 'low=10000', 'low=1.5'])(
    'rejects an invalid target age of cases: %s',
    (value) => {
      expect(configFaultsOf({ CASE_TARGET_HOURS: `high=4,${value}` })).toEqual([
        'CASE_TARGET_HOURS: must be hours from 1 to 9999 by severity, separated by commas: low=168,medium=72,high=24,critical=24',
      ]);
    },
  );

  it('keeps the target age of severities that are not named', () => {
    expect(readConfig({ CASE_TARGET_HOURS: 'critical=4' }).caseTargetHours).toEqual({
      low: 168,
      medium: 72,
      high: 24,
      critical: 4,
    });
  });

  it.each(['0', '7', '1w', '-1d', '1000000s'])('rejects an invalid age of operators: %s', (value) => {
    expect(configFaultsOf({ FOUR_EYES_MIN_AGE: value })).toEqual([
      'FOUR_EYES_MIN_AGE: must be a duration above 0, a number below 1000000 with s, m, h or d: 7d',
    ]);
  });

  const from = { MAIL_FROM: 'plaza@example.org' };

  it('takes a server for mails, and its password from a file alone', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'plaza-smtp-')), 'password');
    writeFileSync(file, 'p@ss: word\n');
    const given = { ...from, SMTP_URL: 'smtp://plaza@mail.example:587', SMTP_PASSWORD_FILE: file };
    expect(readConfig(given)).toMatchObject({ smtpUrl: given.SMTP_URL, smtpPassword: 'p@ss: word' });
    expect(JSON.stringify(environmentFor(readConfig(given)))).not.toContain('p@ss');
    rmSync(dirname(file), { recursive: true });
    expect(configFaultsOf(given)).toEqual(['SMTP_PASSWORD_FILE: names a file that does not exist']);
    expect(configFaultsOf({ ...from, SMTP_URL: 'smtp://mail.example', SMTP_PASSWORD_FILE: file })).toContain(
      'SMTP_PASSWORD_FILE: is set, and SMTP_URL names no user: write user@ before the host',
    );
  });

  it.each([
    [{ SMTP_URL: 'smtp://mail.example' }, ['MAIL_FROM: is required with SMTP_URL']],
    [from, ['MAIL_FROM: is set, and SMTP_URL is not']],
    [
      { ...from, SMTP_URL: 'smtp://plaza@mail.example' },
      ['SMTP_PASSWORD_FILE: is required, since SMTP_URL names a user'],
    ],
  ])('rejects settings of mails that are not whole: %j', (given, faults) => {
    expect(configFaultsOf(given)).toEqual(faults);
  });

  it('rejects a password for mails without a server', () => {
    expect(configFaultsOf({ SMTP_PASSWORD_FILE: '/dev/null' })).toContain(
      'SMTP_PASSWORD_FILE: is set, and SMTP_URL is not',
    );
  });

  it.each([
    'smtp://plaza:word@mail.example',
    'smtp://a%zz@mail.example',
    'http://mail.example',
    'mail.example',
    'smtp://mail.example/?x=1',
  ])('rejects an address of a server for mails: %s', (value) => {
    expect(configFaultsOf({ ...from, SMTP_URL: value })).toContainEqual(
      expect.stringMatching(/^SMTP_URL: must be smtp:.*; the password goes into SMTP_PASSWORD_FILE$/),
    );
  });

  it.each(['plaza', 'Plaza <plaza@example.org>', 'plaza@Example.org'])('rejects a sender: %s', (value) => {
    const faults = configFaultsOf({ SMTP_URL: 'smtp://mail.example', MAIL_FROM: value });
    expect(faults).toEqual([expect.stringMatching(/^MAIL_FROM: must be/)]);
  });

  it('takes reasons of decisions separated by semicolons', () => {
    expect(readConfig({ CASE_REASONS: 'spam; threats, rule 3' }).caseReasons).toEqual([
      'spam',
      'threats, rule 3',
    ]);
    expect([{}, { CASE_REASONS: '' }].map((env) => readConfig(env).caseReasons)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it.each([';', 'spam;', 'x'.repeat(101), 'a;b;c;d;e;f;g;h;i;j', 'a\u202eb'])(
    'rejects an invalid list of reasons: %s',
    (value) => {
      expect(configFaultsOf({ CASE_REASONS: value })).toEqual([
        'CASE_REASONS: must be at most 9 reasons of 1 to 100 characters, separated by semicolons',
      ]);
    },
  );

  it.each(['help@plaza.example', 'https://plaza.example/help'])(
    'takes a contact of the operators: %s',
    (value) => {
      expect(readConfig({ OPERATOR_CONTACT: value }).operatorContact).toBe(value);
    },
  );

  it.each([
    'help',
    'help@',
    'a b@plaza.example',
    'javascript:alert(1)',
    'https://',
    'a@b.example?cc=c@d.example',
  ])('rejects an invalid contact of the operators: %s', (value) => {
    expect(configFaultsOf({ OPERATOR_CONTACT: value })).toEqual([
      'OPERATOR_CONTACT: must be an e-mail address, or a URL that starts with https:// or http://',
    ]);
  });

  it('accepts proxies separated by commas', () => {
    expect(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7' }).trustedProxies).toEqual([
      '10.0.0.0/8',
      '192.0.2.7',
    ]);
  });

  it.each(['10.0.0.0/99', 'secret.example', '10.0.0.1,', ' '])(
    'rejects an invalid list of proxies: %s',
    (value) => {
      const faults = configFaultsOf({ TRUSTED_PROXIES: value, RATE_LIMITS: 'secret' });
      expect(faults.map((line) => line.split(':')[0])).toEqual(['TRUSTED_PROXIES', 'RATE_LIMITS']);
      expect(faults.join()).not.toContain('secret');
    },
  );

  it('derives the base URL from the port and closes registration on a real event store', () => {
    const config = readConfig({ PORT: '8080', EVENTSTORE_URL: 'esdb://db:2113?tls=false' });
    expect(config).toMatchObject({ baseUrl: 'http://localhost:8080', registration: 'closed' });
  });

  it.each([
    ['http://localhost:3000', '127.0.0.1'],
    ['http://plaza.localhost:3000', '127.0.0.1'],
    ['http://127.0.0.1:3000', '127.0.0.1'],
    ['http://127.0.0.2:3000', '127.0.0.2'],
    ['http://[::1]:3000', '::1'],
    ['http://192.0.2.7:3000', '0.0.0.0'],
    ['https://[2001:db8::7]', '::'],
    ['https://plaza.example', '0.0.0.0'],
  ])('listens where its base URL %s points: on %s', (baseUrl, host) => {
    expect(readConfig({ BASE_URL: baseUrl }).host).toBe(host);
    expect(readConfig({ BASE_URL: baseUrl, HOST: '10.0.0.1' }).host).toBe('10.0.0.1');
  });

  it('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', BASE_URL: '' }).port).toBe(3000);
  });

  it('names every invalid variable at once and never shows a value', () => {
    const faults = configFaultsOf({
      PORT: '70000',
      BASE_URL: 'http://x/secret-path',
      DATABASE_URL: 'mysql://user:secret@h/d',
      ROLE: 'sekretary',
    });
    expect(faults.map((line) => line.split(':')[0])).toEqual(['ROLE', 'PORT', 'BASE_URL', 'DATABASE_URL']);
    expect(faults.join()).not.toMatch(/secret|70000|sekretary/);
  });

  it.each(['foo', 'ftp://x', 'http://', 'http://x/path', 'http://u:p@x'])(
    'rejects a BASE_URL that is no origin: %s',
    (url) => {
      expect(configFaultsOf({ BASE_URL: url, PORT: 'x' }).map((line) => line.split(':')[0])).toEqual([
        'PORT',
        'BASE_URL',
      ]);
    },
  );

  it('accepts several event store nodes, under either name of the server', () => {
    for (const url of ['esdb://ann:a/b@one:2111,two:2112?tls=true', 'kurrentdb://one,two'])
      expect(readConfig({ EVENTSTORE_URL: url }).eventStoreUrl).toBe(url);
  });

  it('names the faults of an event store address, without quoting it', () => {
    expect(configFaultsOf({ EVENTSTORE_URL: 'esdb://ann:sec:ret@one?tlsVerfyCert=true&tls=secret' })).toEqual(
      [
        expect.stringMatching(/^EVENTSTORE_URL: the password has an unencoded : or @; .*%3A/),
        'EVENTSTORE_URL: there is no option tlsVerfyCert; did you mean tlsVerifyCert?',
        'EVENTSTORE_URL: the option tls must be true or false',
      ],
    );
  });

  it('rejects the address of a store without a host', () => {
    expect(configFaultsOf({ EVENTSTORE_URL: 'esdb://', DATABASE_URL: 'postgres://' })).toHaveLength(2);
  });

  it('requires the stores of a process that does not start them', () => {
    expect(configFaultsOf({ ROLE: 'api' })).toHaveLength(3);
  });
});
