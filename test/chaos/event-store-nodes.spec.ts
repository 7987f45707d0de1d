import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pidOf, startNode } from '../../chaos/event-store-nodes.js';
import { freePort } from '../../src/launch/free-port.js';
import { waitUntilGone } from '../../src/launch/processes.js';
import { plaza } from '../support/command.js';
import { chaos, clearUp, newDir, nothing } from './support/run-chaos.js';

describe('an event store named by its URL', () => {
  let dir: string;
  let port: number;
  let pidFile: string;
  let start: string;

  beforeEach(async () => {
    dir = newDir();
    port = await freePort();
    pidFile = join(dir, 'pid');
    start = `${process.execPath} ${plaza} eventstore --dir ${join(dir, 'log')} --port ${port} & echo $! > ${pidFile}`;
    await startNode({ pidFile, start }, join(dir, 'log.txt'));
  });

  afterEach(async () => {
    const pid = pidOf({ pidFile, start });
    process.kill(pid, 'SIGTERM');
    await waitUntilGone(pid, 45_000);
    clearUp();
  });

  const url = () => ({ EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false` });

  it('is not harmed, which the output says, and refused for a second run', async () => {
    const before = pidOf({ pidFile, start });
    const spared = await chaos(['--rounds', '1', '--seed', '1'], url());
    expect({ ...spared, lines: spared.lines.at(-1)?.['found'] }).toMatchObject({
      code: 0,
      lines: nothing,
      stderr: '',
    });
    expect(spared.lines[1]?.['message']).toContain('not harmed');
    expect(pidOf({ pidFile, start })).toBe(before);

    const again = await chaos(['--rounds', '1'], url());
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not empty')]);
    expect(pidOf({ pidFile, start })).toBe(before);
  });

  it('is killed and restarted with the given command', async () => {
    const before = pidOf({ pidFile, start });
    const how = ['--node-pid-file', pidFile, '--node-start', start];
    const { code, lines } = await chaos(['--rounds', '1', '--seed', '32', ...how], url());
    expect({ code, found: lines.at(-1)?.['found'] }).toEqual({ code: 0, found: nothing });
    expect(lines[1]?.['fault']).toBe('kill event store');
    expect(pidOf({ pidFile, start })).not.toBe(before);
  });
});
