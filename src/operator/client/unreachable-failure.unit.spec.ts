import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../base/config/config.js';
import { settingsOf } from '../../base/config/settings.js';
import { writeRunFile } from '../../launch/run-file.js';
import { unreachableFailure } from './unreachable-failure.js';

let dataDir = '';

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'plaza-nobody-'));
});

afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

const configOf = (settings: NodeJS.ProcessEnv = {}) =>
  readConfig({ DATA_DIR: dataDir, OPERATOR_PORT: '4001', ...settings });

/** `settings`: settings of the running network. */
function runs({ ready = false, supervisor = process.pid, settings = {} }): void {
  writeRunFile(dataDir, { ready, pids: { supervisor }, settings: settingsOf(configOf(settings)) });
}

const { pid: gone } = spawnSync(process.execPath, ['--version']);
const said = () => unreachableFailure(configOf(), 'refused').message;

describe('a command without an answer', () => {
  it('says how to start a network if none runs', () => {
    expect(said()).toBe(
      'no network answers at http://127.0.0.1:4001 (OPERATOR_PORT); start one with npm start: refused',
    );
  });

  it.each([{}, { settings: { OPERATOR_HOST: '0.0.0.0' } }])(
    'says that the network is starting, what it may be waiting for and where to look: %j',
    (network) => {
      runs(network);
      expect(said()).toBe(
        `the network on ${dataDir} (DATA_DIR) is starting and does not answer at http://127.0.0.1:4001 (OPERATOR_PORT) yet; ` +
          'try again later: after a restore or in a recovery, a worker must first apply the log; ' +
          'see the output of npm start: refused',
      );
    },
  );

  it('says that the API of a running network does not answer', () => {
    runs({ ready: true });
    expect(said()).toMatch(/ runs, but its API does not answer at .* yet; try again/);
  });

  it.each([
    ['was killed while it started', { supervisor: gone }],
    ['starts on another port', { settings: { OPERATOR_PORT: '4002' } }],
    ['starts for another host', { settings: { OPERATOR_HOST: '192.0.2.1' } }],
  ])('does not say so of a network that %s', (_what, network) => {
    runs(network);
    expect(said()).toMatch(/^no network answers at /);
  });
});
