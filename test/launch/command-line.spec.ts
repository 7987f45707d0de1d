import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/launch/free-port.js';
import { plaza, root, spawnPlaza } from '../support/command.js';

let dataDir = '';

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'plaza-command-line-'));
});

afterAll(() => {
  rmSync(dataDir, { recursive: true });
});

const account = [
  'account',
  'create',
  '--handle',
  'ada',
  '--display-name',
  'Ada',
  '--email',
  'ada@example.org',
];

describe("the operator's command line", () => {
  it('lists its commands', async () => {
    const { code, stdout } = await spawnPlaza(['--help']);
    expect(code).toBe(0);
    for (const command of [
      'start',
      'demo',
      'app register',
      'app list',
      'app suspend',
      'app reinstate',
      'app rotate-secret',
      'app revoke-grants',
      'account create',
      'account suspend',
      'account reinstate',
      'keys list',
      'keys rotate',
      'publishing pause',
      'publishing resume',
      'projections status',
      'audit',
      'backup',
      'restore',
      'eventstore',
    ])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  });

  it.each(['--version', '-V'])('prints its version: %s', async (option) => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(await spawnPlaza([option])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect((await spawnPlaza(['--help'])).stdout).toMatch(/^ {2}-V, --version +print the version$/m);
  });

  it('has a version whose changes docs/releases.md tells', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const newest = /^## (\S+)/m.exec(readFileSync(join(root, 'docs/releases.md'), 'utf8'))?.[1];
    expect(newest).toBe(version);
  });

  it.each([
    [['nonsense'], /unknown command/],
    [['note'], /^error: unknown command 'note'\n\(plaza --help/],
    [['strat'], /Did you mean start\?/],
    [['start', '--nonsense'], /unknown option/],
    [['app', 'register', '--name', 'An app'], /required option '--redirect-uri[^]+plaza app register --help/],
    [account, /required option '--password-stdin'/],
    [['eventstore', '--dir', 'd', '--port', 'x'], /must be a port number/],
    [['projections', 'status', '--as', 'naïve\n'], /must be 1 to 64 ASCII characters/],
    [['app', 'suspend'], /missing required argument 'client-id'/],
    [
      ['app', 'rotate-secret', 'an-app', '--overlap', '1w'],
      /must be 0, or a number below 1000000 with s, m, h or d/,
    ],
    [['account', 'suspend', 'somebody'], /required option '--reason/],
    [['account', 'reinstate', 'somebody'], /required option '--reason/],
    [['audit', '--since', 'yesterday'], /must be a time/],
    [['audit', '--csv', '--json'], /cannot be used with option '--json'/],
    [['backup'], /missing required argument 'dir'/],
    [['backup', ''], /the argument 'dir' is empty/],
    [['restore', 'd', '--parts', 'cellar'], /must be one or more of log, read, authority, vault, witness/],
    [['app'], /Usage: plaza app/],
  ])('rejects %j as wrong usage: exit code 2', async (args, said) => {
    const { code, stderr } = await spawnPlaza(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
  });

  it('refuses to restore a log on its own server, and a directory that is no backup', async () => {
    const elsewhere = { DATA_DIR: dataDir, EVENTSTORE_URL: 'esdb://log.example:2113' };
    const [log, none] = await Promise.all([
      spawnPlaza(['restore', dataDir], elsewhere),
      spawnPlaza(['restore', dataDir, '--parts', 'vault'], elsewhere),
    ]);
    expect([log.code, log.stderr]).toEqual([
      1,
      expect.stringMatching(/^EVENTSTORE_URL: .*the means of that server/),
    ]);
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringMatching(/ is no backup, .*: it has no manifest.json\n$/),
    ]);
  });

  it('fails with one line where no network was started or none runs: exit code 1', async () => {
    const port = await freePort();
    const env = { DATA_DIR: dataDir, OPERATOR_PORT: String(port) };
    const never = await spawnPlaza(['projections', 'status'], env);
    expect(never).toMatchObject({ code: 1, stdout: '' });
    expect(never.stderr).toMatch(/^there is no operator token in .*\n$/);
    const token = { OPERATOR_TOKEN: 't'.repeat(32) };
    const down = await spawnPlaza([...account, '--password-stdin'], { ...env, ...token }, 'secret\n');
    expect(down).toMatchObject({ code: 1, stdout: '' });
    expect(down.stderr).toMatch(new RegExp(`^no network answers at http://127.0.0.1:${port} .*\\n$`));
  });

  it('prints the progress of projections, even if unknown, with stops and quarantine', async () => {
    const nothingYet = { name: 'posts', version: 1, position: null, lag: null };
    const stopped = { reason: 'it is not understood', position: 9, eventId: 'e-1' };
    const status = {
      incarnation: null,
      quarantine: 'The log was set back.',
      projections: [nothingYet, { name: 'follows', version: 2, position: 7, lag: 3, stopped }],
    };
    const server = createServer(({ headers }, response) => {
      response.setHeader('x-request-id', String(headers['x-request-id']));
      response.end(JSON.stringify(status));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const env = { OPERATOR_PORT: String(port), OPERATOR_TOKEN: 't'.repeat(32) };
      const json = await spawnPlaza(['projections', 'status', '--json'], env);
      expect(JSON.parse(json.stdout)).toEqual(status);
      const { code, stdout } = await spawnPlaza(['projections', 'status'], env);
      expect(code).toBe(0);
      expect(stdout.split('\n')).toEqual([
        'incarnation none yet',
        'IN QUARANTINE, reads are refused: The log was set back.',
        'posts v1  no event applied yet, lag behind the log unknown',
        'follows v2  at 7, 3 behind; STOPPED (event e-1 at 9): it is not understood',
        '',
      ]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('takes only UTF-8 for a password, and an invitation only with its code', async () => {
    const args = [...account, '--password-stdin'];
    expect(await spawnPlaza(args, {}, Buffer.from([0x70, 0xff]))).toMatchObject({
      code: 1,
      stderr: 'the password on standard input is not in UTF-8; nothing changed\n',
    });
    expect(await spawnPlaza(['operator', 'enroll', '--label', 'x'])).toMatchObject({
      code: 1,
      stderr: 'standard input is empty; give it the code of the invitation\n',
    });
  });

  it('names a directory that cannot be made', async () => {
    expect(await spawnPlaza(['analytics', 'demo', '/proc/x'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^\/proc\/x cannot be used \(ENOENT: .*name a directory.*\n$/),
    });
  });

  it('says in one line that its answer cannot be written', () => {
    const full = openSync('/dev/full', 'w');
    const options = {
      stdio: ['ignore', full, 'pipe'] as ('ignore' | 'pipe' | number)[],
      encoding: 'utf8' as const,
    };
    const { status, stderr } = spawnSync(process.execPath, [plaza, '--help'], options);
    closeSync(full);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^the answer cannot be written \(ENOSPC.*\n$/),
    ]);
  });

  it('names the build command when it is not built', async () => {
    const elsewhere = join(dataDir, 'bin');
    mkdirSync(elsewhere);
    cpSync(plaza, join(elsewhere, 'plaza.mjs'));
    const { code, stderr } = await spawnPlaza([], {}, '', join(elsewhere, 'plaza.mjs'));
    expect(code).toBe(1);
    expect(stderr).toBe('Plaza is not built yet: run `npm run build` first\n');
  });
});
