import { describe, expect, it } from '@jest/globals';
import { lastErrorLine } from './last-fault.js';

describe('the reason why Postgres failed', () => {
  it('is its last fault, whatever it prints while it ends', () => {
    const said = `LOG:  database system was shut down at 2026-01-01
ERROR:  unrecognized role option "nonsense" at character 12
STATEMENT:  ALTER ROLE plaza PASSWORD 'hidden'
LOG:  checkpoint starting: shutdown immediate
LOG:  checkpoint complete: wrote 3 buffers\n`;
    expect(lastErrorLine(said)).toBe('ERROR:  unrecognized role option "nonsense" at character 12');
  });

  it('is the error line of initdb', () => {
    expect(lastErrorLine('initdb: error: directory "/d" exists\ninitdb: hint: remove it\n')).toBe(
      'initdb: error: directory "/d" exists',
    );
  });

  it('is otherwise its last line, but no statement', () => {
    expect(lastErrorLine('no space left\nSTATEMENT:  SELECT 1\n')).toBe('no space left');
    expect(lastErrorLine('')).toBe('it ended without a message');
  });
});
