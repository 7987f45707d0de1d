import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { removeDataDir } from './data-dir.js';
import { dataDirFromTemplate } from './templates.js';

const urlOf = (path: string) => new URL(path, import.meta.url).href;

/** Starts to make a template, prints its directory, and runs until it is killed. */
const maker = (name: string) => `
  import { dataDirFromTemplate } from ${JSON.stringify(urlOf('./templates.ts'))};
  await dataDirFromTemplate(${JSON.stringify(name)}, async (dataDir) => {
    console.log(dataDir);
    await new Promise(() => setInterval(() => undefined, 60_000));
  });`;

it('a template has nothing of an earlier one whose maker was killed, even if its child processes still write', async () => {
  const name = randomUUID();
  const hook = urlOf('./typescript.hooks.mjs');
  const options = ['--import', hook, '--input-type=module', '--eval', maker(name)];
  const killed = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [abandoned] = (await once(createInterface(killed.stdout), 'line')) as [string];
  killed.kill('SIGKILL');

  const dataDir = await dataDirFromTemplate(name, async (fresh) => {
    writeFileSync(join(abandoned, 'late'), '');
    writeFileSync(join(fresh, 'made'), '');
  });
  expect(readdirSync(dataDir)).toEqual(['made']);
  removeDataDir(dataDir);
});
