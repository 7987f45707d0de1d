import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readConfig } from '../base/config/config.js';
import { banner } from './banner.js';

/** The line that a person copies. */
const line = (said: string) => said.split('\n').find((each) => each.includes('npm run demo'));

describe('the banner of a serving network', () => {
  it('has a demo command without settings if all are defaults', () => {
    expect(line(banner(readConfig({})))).toBe('  npm run demo');
  });

  it('has a demo command that any shell reads back as the settings', () => {
    const settings = {
      PORT: '8080',
      BASE_URL: 'https://plaza.example',
      OPERATOR_HOST: '10.0.0.7',
      OPERATOR_PORT: '8081',
      REFERENCE_APP_PORT: '8082',
      DATA_DIR: `/srv/ana's "network" $HOME`,
    };
    const copied = line(banner(readConfig(settings)))!.replace('npm run demo', 'env');
    const seen = execFileSync('/bin/sh', ['-c', copied], { env: { PATH: process.env['PATH'] } }).toString();
    for (const [name, value] of Object.entries(settings)) expect(seen).toContain(`${name}=${value}\n`);
  });

  it('says that a token is needed, without showing it', () => {
    const token = 'hidden'.repeat(6);
    const said = banner(readConfig({ OPERATOR_TOKEN: token }));
    expect(said).toContain('with OPERATOR_TOKEN set as it is here');
    expect(said).not.toContain(token);
    expect(banner(readConfig({}))).not.toContain('OPERATOR_TOKEN');
  });

  it('names the console, and how to become its first administrator', () => {
    const said = banner(readConfig({ OPERATOR_BASE_URL: 'https://ops.example', DATA_DIR: '/srv/ana' }));
    expect(said).toContain('console       https://ops.example/console\n');
    expect(said).toContain("DATA_DIR='/srv/ana' npx plaza operator invite --name YOU --role administrator\n");
    expect(banner(readConfig({}), ['worker: Away.'])).not.toContain('operator invite');
  });

  it('shows the keys that sign exports, or their address', () => {
    const keys = ['plaza.example/log/1+0a+b', 'plaza.example/log/1+0c+d'];
    expect(banner(readConfig({}), [], keys)).toContain(
      '  log key       plaza.example/log/1+0a+b\n  log key       plaza.example/log/1+0c+d\n',
    );
    expect(banner(readConfig({}))).toContain('  log key       see http://localhost:3000/log/key\n');
  });

  it('warns that limits are off', () => {
    expect(banner(readConfig({ RATE_LIMITS: 'off' }))).toContain('RATE_LIMITS IS OFF');
    expect(banner(readConfig({}))).not.toContain('RATE_LIMITS');
  });

  it('shows why the network is not ready, without a demo command', () => {
    const said = banner(readConfig({}), ['recovery: In quarantine: The log was set back.', 'worker: Away.']);
    expect(said).toMatch(/NOT READY:\n\n {2}recovery: In quarantine.*\n\n {2}worker: Away\.\n\n {2}network/);
    expect(said).toContain('docs/recovery.md');
    expect(line(said)).toBeUndefined();
  });
});
