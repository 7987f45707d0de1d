import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../base/config/config.js';
import { newPersonalToken } from '../commands/operator/secrets.js';
import { sharedTokenOf } from './shared-token.js';

describe('the shared token of a network', () => {
  it('is the configured one, else one that is created once', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'plaza-token-'));
    expect(sharedTokenOf({ operatorToken: 'x'.repeat(32), dataDir })).toBe('x'.repeat(32));
    const created = sharedTokenOf({ operatorToken: undefined, dataDir });
    expect(readFileSync(join(dataDir, 'operator.token'), 'utf8')).toBe(`${created}\n`);
    expect(sharedTokenOf({ operatorToken: undefined, dataDir })).toBe(created);
    rmSync(dataDir, { recursive: true });
  });

  it('is no personal token, which an operator may have in the shell that starts the network', () => {
    const operatorToken = newPersonalToken();
    expect(() => sharedTokenOf({ operatorToken, dataDir: '' })).toThrow(ConfigError);
  });
});
