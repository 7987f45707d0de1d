/** @slow */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '../../src/launch/free-port.js';
import { environment, root } from '../support/command.js';
import { removeDataDir } from '../support/data-dir.js';
import { dataDirWithCluster } from '../support/postgres.js';
import { until } from '../support/until.js';

const COPIED = [
  'package.json',
  'package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  '.swcrc',
  'bin',
  'docs/applications.md',
  'src',
  'projections',
  'bench',
  'packages',
  'dist',
];
const PAGES = [
  ['', 'src/doors/api/resources/landing/landing.page.ts', 'One account for every application you like'],
  ['docs/guide', 'docs/applications.md', 'Applications: from registration to disconnecting'],
] as const;

/** For a build and a start on a busy machine. */
const BUILT_MS = 120_000;

let copy: string;
let dataDir: string;
let address: string;
let dev: ChildProcess;

/** A copy of the repository: its sources are changed. */
beforeAll(async () => {
  copy = realpathSync(mkdtempSync(join(tmpdir(), 'plaza-dev-')));
  for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(realpathSync(join(root, 'node_modules')), join(copy, 'node_modules'));
  dataDir = await dataDirWithCluster();
  const [port, operatorPort] = [await freePort(), await freePort()];
  address = `http://localhost:${port}/`;
  dev = spawn(process.execPath, [join(copy, 'bin/dev.mjs')], {
    cwd: copy,
    env: environment({ PORT: String(port), OPERATOR_PORT: String(operatorPort), DATA_DIR: dataDir }),
    stdio: 'ignore',
  });
});

afterAll(async () => {
  if (dev?.exitCode === null) {
    dev.kill('SIGTERM');
    await once(dev, 'exit');
  }
  removeDataDir(dataDir);
  rmSync(copy, { recursive: true });
});

const isServed = (path: string, heading: string) =>
  until(async () => {
    const page = await fetch(address + path).then(
      (answer) => answer.text(),
      () => '',
    );
    return page.includes(heading);
  }, BUILT_MS);

it.each(PAGES)(
  'npm run dev serves each of two atomic saves in a row, as editors and git make them: /%s',
  async (path, name, heading) => {
    const file = join(copy, name);
    const source = readFileSync(file, 'utf8');
    await isServed(path, heading);
    for (const saved of ['The first save', 'The second save']) {
      writeFileSync(`${file}.new`, source.replace(heading, saved));
      renameSync(`${file}.new`, file);
      expect(await isServed(path, saved)).toBe(true);
    }
  },
);
