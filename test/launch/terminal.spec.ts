import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '../../src/launch/free-port.js';
import { readRunFile } from '../../src/launch/run-file.js';
import { environment, spawnPlaza } from '../support/command.js';
import { removeDataDir } from '../support/data-dir.js';
import { dataDirWithCluster } from '../support/postgres.js';
import { describeOnTerminal, runOnTerminal, startOnTerminal } from '../support/terminal.js';
import { until } from '../support/until.js';

/** A zone without clock changes that is no whole number of hours from UTC. */
const TZ = 'Asia/Kathmandu';
const OFFSET_MS = (5 * 60 + 45) * 60_000;
const inKathmandu = (ms: number) =>
  new Date(ms + OFFSET_MS).toISOString().replace('T', ' ').slice(0, 'yyyy-mm-dd hh:mm:ss'.length);

interface Listed {
  readonly clientId: string;
  readonly registeredAt: number;
}

describeOnTerminal('a network that is started on a terminal', () => {
  let dataDir: string;
  let env: NodeJS.ProcessEnv;
  let started: ChildProcess;
  let startedAt: number;
  let shown = '';

  beforeAll(async () => {
    dataDir = await dataDirWithCluster();
    const [port, operatorPort] = [await freePort(), await freePort()];
    env = environment({ PORT: String(port), OPERATOR_PORT: String(operatorPort), DATA_DIR: dataDir, TZ });
    startedAt = Date.now();
    started = startOnTerminal(['start'], env);
    started.stdout?.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
    });
    await until(() => {
      if (started.exitCode !== null) throw new Error(`the network did not start\n${shown}`);
      return shown.includes('Ctrl-C stops it');
    }, 120_000);
  });

  afterAll(async () => {
    const run = readRunFile(dataDir);
    if (run) process.kill(run.pids.supervisor, 'SIGTERM');
    if (started.exitCode === null) await once(started, 'close');
    removeDataDir(dataDir);
  });

  /** The lines of the log, without their colours. */
  const logged = () =>
    shown
      .replaceAll(new RegExp(String.raw`\u001b\[\d+m`, 'g'), '')
      .split('\r\n')
      .filter((line) => /^\d\d:\d\d:\d\d\.\d{3} /.test(line));

  it('logs a readable line for each entry of every process, and no JSON', () => {
    const processes = logged().map((line) => line.split(' ')[1]);
    expect(processes).toEqual(expect.arrayContaining(['api', 'worker']));
    expect(logged().find((line) => line.includes(' serving '))).toMatch(/ api {8}serving {2}port=\d+$/);
    expect(shown).not.toMatch(/"level"|"msg"/);
  });

  it('shows how much was verified, and no digest of it', () => {
    const verified = logged().find((line) => line.includes('verified the incarnation')) ?? '';
    expect(verified).toMatch(/verified the incarnation {2}incarnation=\S+ tables=\d+ rows=\d+$/);
    expect(shown).not.toMatch(/digest/);
    expect(logged().filter((line) => line.length > 160)).toEqual([]);
  });

  it('logs in local time', () => {
    const minutes = Math.ceil((Date.now() - startedAt) / 60_000) + 1;
    const expected = Array.from({ length: minutes }, (_, minute) =>
      inKathmandu(startedAt + minute * 60_000).slice('yyyy-mm-dd '.length, -':ss'.length),
    );
    for (const line of logged()) expect(expected).toContain(line.slice(0, 'hh:mm'.length));
  });

  it('lists applications as a table in local time, and as JSON lines in a pipe or on request', async () => {
    for (const name of ['Quill', 'Pebble 🪨']) {
      const app = ['app', 'register', '--name', name, '--scope', 'openid read', '--redirect-uri'];
      expect((await spawnPlaza([...app, 'https://quill.example/cb'], env)).code).toBe(0);
    }
    const piped = await spawnPlaza(['app', 'list'], env);
    const listed = piped.stdout.trimEnd().split('\n');
    const apps = listed.map((line) => JSON.parse(line) as Listed);
    expect(apps).toHaveLength(2);
    expect(await spawnPlaza(['app', 'list', '--json'], env)).toEqual(piped);
    expect((await runOnTerminal(['app', 'list', '--json'], env)).lines).toEqual(listed);

    const { code, lines } = await runOnTerminal(['app', 'list'], env);
    expect(code).toBe(0);
    const [headings = '', ...rows] = lines;
    expect(headings).toMatch(/^CLIENT ID {2,}STATE {3,}GRANTS {2}REGISTERED {11}APPLICATION$/);
    const margin = ' '.repeat(headings.indexOf('APPLICATION'));
    expect(rows).toEqual(
      apps.flatMap(({ clientId, registeredAt }, at) => [
        `${clientId}  active  0       ${inKathmandu(registeredAt)}  ${['Quill', 'Pebble 🪨'][at]}`,
        `${margin}may request openid read`,
        `${margin}returns to https://quill.example/cb`,
      ]),
    );
  });

  it('lists the parts of a backup with their sizes as a table', async () => {
    const dir = join(dataDir, 'backup');
    const { code, lines } = await runOnTerminal(['backup', dir, '--reason', 'a test'], env);
    expect(code).toBe(0);
    const headings = lines.findIndex((line) => /^PART +SIZE$/.test(line));
    expect(lines.slice(headings + 1, -1)).toEqual(
      ['log', 'authority', 'vault', 'witness'].map((part) =>
        expect.stringMatching(new RegExp(String.raw`^${part} +\d+(\.\d+)? [kM]?B$`)),
      ),
    );
  });

  it('lists keys, projections and the kept read models as tables', async () => {
    const keys = await runOnTerminal(['keys', 'list'], env);
    expect(keys.lines[0]).toMatch(/^KEY +STATE +SIGNS FROM +PUBLISHED UNTIL$/);
    expect(keys.lines.slice(1)).toEqual([expect.stringMatching(/^\S+ +signing +first start$/)]);

    // Until an event concerns its group, a projection has no position.
    const projections = await until(async () => {
      const status = await runOnTerminal(['projections', 'status'], env);
      return /^audit +v\d+ +\d+ +0 +no$/m.test(status.lines.join('\n')) && status;
    });
    expect(projections.lines[0]).toMatch(/^incarnation \S+$/);
    expect(projections.lines[1]).toMatch(/^PROJECTION +VERSION +POSITION +BEHIND +STOPPED$/);
    expect(projections.lines.slice(2).join('\n')).toMatch(/^posts +v\d+ +(?:\d+|none yet) +0 +no$/m);

    expect((await spawnPlaza(['projections', 'rebuild', '--reason', 'a test'], env)).code).toBe(0);
    const { lines } = await runOnTerminal(['recovery', 'status'], env);
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;
    expect(lines.join('\n')).toMatch(
      new RegExp(`^JOB +REQUESTED +STATE +BY +MESSAGE\nrebuild +${time} +published `, 'm'),
    );
    expect(lines.join('\n')).toMatch(
      new RegExp(`^KEPT INCARNATION +RETIRED +KEPT UNTIL +ROLLBACK\n\\S+ +${time} +${time} +possible$`, 'm'),
    );
  });
});
