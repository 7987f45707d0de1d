import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';
import { settingsOf } from './settings.js';

describe('the settings for a child process', () => {
  it('read back as the configuration they were made from', () => {
    const all = readConfig({});
    const api = readConfig({
      ROLE: 'api',
      HOST: '127.0.0.2',
      PORT: '8080',
      OPERATOR_BASE_URL: 'https://ops.example',
      REFERENCE_APP_PORT: '8081',
      METRICS_HOSTS: 'prometheus, api-1',
      METRICS_PORT: '9100',
      OPERATOR_TOKEN: 't'.repeat(32),
      EVENTSTORE_URL: 'esdb://127.0.0.1:2113?tls=false',
      EVENTSTORE_SHARED: 'on',
      EVENTSTORE_TLS: 'on',
      DATABASE_URL: 'postgres://a:b@127.0.0.1/plaza',
      VAULT_DATABASE_URL: 'postgres://a:b@127.0.0.1/vault',
      WITNESS_DATABASE_URL: 'postgres://a:b@127.0.0.1/witness',
      REGISTRATION: 'open',
      RESERVED_HANDLES: 'ada_press, mayor',
      TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1',
      RATE_LIMITS: 'off',
      FAN_OUT_THRESHOLD: '2',
      CASE_TARGET_HOURS: 'critical=4, low=720',
      SOURCE_URL: 'https://code.example/plaza/src/v1/',
      OPERATOR_CONTACT: 'help@plaza.example',
      PUBLIC_NUMBERS: 'on',
      SMTP_URL: 'smtps://mail.example:465',
      MAIL_FROM: 'plaza@example.org',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    });
    expect(readConfig(settingsOf(all))).toEqual(all);
    expect(readConfig(settingsOf(api))).toEqual(api);
  });
});
