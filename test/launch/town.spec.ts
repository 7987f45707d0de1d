import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/base/config/config.js';
import { acquireDirectory } from '../../src/launch/data-dir.js';
import { makeDirectories } from '../../src/launch/make-directories.js';
import { api } from '../../src/programs/demo/api.js';
import { APPLICATION } from '../../src/programs/demo/town/application.js';
import { planTown } from '../../src/programs/demo/town/plan.js';
import { signIn } from '../../src/programs/demo/sign-in.js';
import { readTown } from '../../src/programs/demo/town/town-file.js';
import { startFaultyProxy } from '../examples/support/faulty-proxy.js';
import { environment, plaza, runPlaza } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { openLogOf } from '../support/network-log.js';
import { operatorClient } from '../support/operator-client.js';
import { enrollOperator } from '../support/operators.js';
import { until } from '../support/until.js';

const SIZE = 8;

let network: TestNetwork;

/** Its limits are those of every network: a demo must keep within them. */
beforeAll(async () => {
  network = await startNetwork({ RATE_LIMITS: 'on' });
});
afterAll(() => network?.stop());
afterEach(async () => {
  await demo('--remove');
});

/** Without the ports, which the directory of the network has. */
const demo = (...args: readonly string[]) => demoOn(network, {}, ...args);
const demoOn = ({ dataDir }: TestNetwork, settings: NodeJS.ProcessEnv, ...args: readonly string[]) =>
  runPlaza(['demo', ...args], { DATA_DIR: dataDir, ...settings });
const people = (size: number) => ['--people', String(size)];

function townOf({ dataDir }: TestNetwork) {
  const town = readTown(dataDir);
  if (!town?.application) throw new Error('there is no demo');
  return { ...town, application: town.application };
}

async function eventsOf(type: string): Promise<number> {
  const { clientId } = townOf(network).application;
  const search = ['audit', `type:${type}`, `app:${clientId}`, '--wait', '--json'];
  const { code, stdout } = await runPlaza(search, network.env);
  expect(code).toBe(0);
  return stdout.split('\n').filter(Boolean).length;
}

async function expectWhole(size: number): Promise<void> {
  const { follows, threads } = planTown(size);
  const posts = threads.flat();
  const relations = follows.length + posts.flatMap(({ likedBy }) => likedBy).length;
  expect(townOf(network).isComplete).toBe(true);
  expect(await eventsOf('post.created')).toBe(posts.length);
  expect(await eventsOf('post.edited')).toBe(posts.filter(({ editedTo }) => editedTo).length);
  expect(await eventsOf('relation.established')).toBe(relations);
  expect(await eventsOf('report.created')).toBe(1);
  expect(await eventsOf('block.established')).toBe(1);
}

async function asPerson(index: number) {
  const { application, people } = townOf(network);
  const { handle = '', password = '' } = people[index] ?? {};
  const redirectUri = `http://localhost:${application.port}/callback`;
  const scope = APPLICATION.scopes.join(' ');
  const grant = { ...application, redirectUri, handle, password, scope };
  return api(network.baseUrl, (await signIn(network.baseUrl, grant)).access_token);
}

interface Posts {
  readonly posts: readonly { readonly text: string; readonly originApp: { readonly name: string } }[];
}

describe('a town of forty people', () => {
  it('is made by the people themselves, in the application, within the limits', async () => {
    const made = await demo(...people(40), '--json');
    expect(made.code).toBe(0);
    const { handle, password, file } = JSON.parse(made.stdout);
    await expectWhole(40);
    const call = await asPerson(0);
    const { posts } = await call<Posts>('GET', '/api/timeline?limit=100');
    expect(posts.length).toBeGreaterThan(50);
    expect(new Set(posts.map(({ originApp }) => originApp.name))).toEqual(new Set(['Fountain']));
    expect(await call('GET', '/api/profile')).toMatchObject({
      profile: { handle, bio: expect.stringMatching(/^Paddles/) },
    });
    const { inbox } = await call<{ inbox: { kind: string }[] }>('GET', '/api/inbox?limit=100');
    expect(new Set(inbox.map(({ kind }) => kind))).toEqual(new Set(['follow', 'like', 'reply', 'mention']));
    const { blocks } = await call<{ blocks: unknown[] }>('GET', '/api/blocks');
    expect(blocks).toHaveLength(1);
    const cases = () => operatorClient(readConfig(network.env)).get('cases', { state: 'open' });
    expect(await until(async () => (await cases()).cases[0])).toMatchObject({ reports: 1 });

    const { people: kept } = townOf(network);
    expect(kept[0]).toMatchObject({ handle, password });
    expect(new Set(kept.map((each) => each.password)).size).toBe(40);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(network.dataDir, 'demo')).mode & 0o777).toBe(0o700);
  });
});

it('registers its application with the scopes that this asks for', async () => {
  const settings = new URL('../../examples/reference-app/settings.ts', import.meta.url);
  const program = `import { SCOPES } from '${settings.href}'; console.log(SCOPES.join(' '))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    env: environment({ CLIENT_ID: 'x', CLIENT_SECRET: 'y' }),
  });
  expect(stdout.trim().split(' ')).toEqual([...APPLICATION.scopes]);
});

describe('a second run', () => {
  it('changes nothing, but for the port of the application', async () => {
    await demo(...people(SIZE));
    const opened = await openLogOf(network);
    const { log } = opened;
    try {
      const before = [await log.head(), readFileSync(join(network.dataDir, 'demo', 'people.json'), 'utf8')];
      const { code, stdout } = await demo(...people(SIZE));
      expect(code).toBe(0);
      expect(stdout).toContain(townOf(network).people[0]?.password);
      expect([await log.head(), readFileSync(join(network.dataDir, 'demo', 'people.json'), 'utf8')]).toEqual(
        before,
      );
      expect(await demo(...people(SIZE + 1))).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/has 8 people and not 9/),
      });
    } finally {
      await opened.close();
    }
    const moved = await demoOn(network, { REFERENCE_APP_PORT: '3117' }, ...people(SIZE));
    expect(moved.code).toBe(0);
    const applications = await operatorClient(readConfig(network.env)).get('applications');
    const { clientId } = townOf(network).application;
    expect(applications.find((each) => each.clientId === clientId)).toMatchObject({
      redirectUris: ['http://localhost:3117/callback'],
      postLogoutRedirectUris: ['http://localhost:3117/'],
    });
  });

  it('finishes what a killed one began, and does nothing twice', async () => {
    for (const line of [/creates \d+ accounts/, /has signed in/, /They post/]) await killAt(line);
    expect(townOf(network).isComplete).toBe(false);
    expect(await demo(...people(SIZE))).toMatchObject({ code: 0 });
    await expectWhole(SIZE);
  });

  it('waits for nobody: of two at once, one says that the other works', async () => {
    const directory = join(network.dataDir, 'demo');
    makeDirectories(directory, 0o700);
    const release = acquireDirectory(directory);
    const refused = {
      code: 1,
      stderr: expect.stringMatching(/^another demo is at work on .* the same command uses what it made\n$/),
    };
    expect(await demo(...people(SIZE))).toMatchObject(refused);
    expect(await demo('--remove')).toMatchObject(refused);
    release?.();
    const before = (await fountains()).length;
    const racing = await Promise.all([demo(...people(SIZE)), demo(...people(SIZE))]);
    const outcomes = racing.map(({ code, stderr }) => (code === 0 ? 'made' : stderr));
    expect(outcomes).toContain('made');
    expect(outcomes.every((each) => each === 'made' || each.startsWith('another demo is at work on'))).toBe(
      true,
    );
    expect(await fountains()).toHaveLength(before + 1);
    expect(townOf(network).isComplete).toBe(true);
  });

  it('has the application that an interrupted one registered, and so has the removal', async () => {
    const { PORT, OPERATOR_PORT, OPERATOR_TOKEN } = network.env;
    const proxy = await startFaultyProxy(Number(OPERATOR_PORT));
    const dataDir = mkdtempSync(join(tmpdir(), 'town-'));
    const env = { DATA_DIR: dataDir, PORT, OPERATOR_TOKEN, OPERATOR_PORT: String(proxy.port) };
    const run = (...args: readonly string[]) => runPlaza(['demo', ...args], env);
    try {
      const before = (await fountains()).length;
      for (const way of [['--remove'], people(SIZE)]) {
        proxy.loseAnswer('/operator/applications');
        expect((await run(...people(SIZE))).code).toBe(1);
        expect(readTown(dataDir)?.application).toBeUndefined();
        expect(await run(...way)).toMatchObject({ code: 0 });
      }
      const [first, second, ...more] = (await fountains()).slice(before);
      expect([first?.state, second?.state, more]).toEqual(['suspended', 'active', []]);
      expect(readTown(dataDir)?.application?.clientId).toBe(second?.clientId);
    } finally {
      await run('--remove');
      await proxy.close();
      rmSync(dataDir, { recursive: true });
    }
  });
});

/** The applications of all demos so far, in the order of their registration. */
const fountains = async () =>
  (await operatorClient(readConfig(network.env)).get('applications')).filter(
    ({ name }) => name === APPLICATION.name,
  );

/** Kills a run when it has said this. */
async function killAt(line: RegExp): Promise<void> {
  const child = spawn(process.execPath, [plaza, 'demo', ...people(SIZE)], {
    env: environment({ DATA_DIR: network.dataDir }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  for await (const said of createInterface({ input: child.stderr }))
    if (line.test(said)) child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
}

describe('a network', () => {
  it('with people whom no demo created is left alone, until they are gone', async () => {
    await runPlaza(['demo', '--json'], network.env);
    const operator = operatorClient(readConfig(network.env));
    const somebody = {
      handle: 'somebody',
      displayName: 'Somebody',
      email: 's@example.org',
      password: 'x'.repeat(20),
    };
    const { actorId: id } = await operator.post('accounts', somebody);
    expect(await demo(...people(SIZE))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^the network has accounts that this demo did not create.* DATA_DIR=\.demo PORT=4000/,
      ),
    });
    expect(readTown(network.dataDir)).toBeUndefined();
    await operator.post('accounts/:id/erase', { id, reason: 'a test' });
    expect(await demo(...people(SIZE))).toMatchObject({ code: 0 });
  });

  it('that is another one by now is not filled with the passwords of the first', async () => {
    await demo(...people(SIZE));
    const file = join(network.dataDir, 'demo', 'people.json');
    const content = readFileSync(file, 'utf8');
    const { application, tag } = townOf(network);
    writeFileSync(file, content.replace(application.clientId, 'another').replace(tag, 'f'.repeat(16)));
    expect(await demo(...people(SIZE))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/does not know the application in .*people\.json/),
    });
    expect(await demo('--remove')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /does not know the application of this demo.* 0 of its people .*is removed\n/,
      ),
    });
    expect(readTown(network.dataDir)).toBeUndefined();
    writeFileSync(file, content);
  });
});

describe('the removal', () => {
  it('erases everybody, suspends the application and forgets the passwords; a second one finds nothing', async () => {
    await demo(...people(SIZE));
    const { application } = townOf(network);
    const removed = await demo('--remove', '--json');
    expect([removed.code, JSON.parse(removed.stdout)]).toEqual([0, { erased: SIZE }]);
    expect(readTown(network.dataDir)).toBeUndefined();
    const operator = operatorClient(readConfig(network.env));
    const listed = await operator.get('applications');
    expect(listed.find(({ clientId }) => clientId === application.clientId)).toMatchObject({
      state: 'suspended',
    });
    const found = await fetch(`${network.baseUrl}/api/actors?handle=maren`);
    expect(await found.json()).toEqual({ actors: [] });
    expect(await demo('--remove')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/there is no demo on/),
    });
  });
});

describe('operators', () => {
  it('with a limited shared token and four-eyes seed and remove a demo with tokens of their own', async () => {
    const own = await startNetwork();
    try {
      const shared = operatorClient(readConfig(own.env));
      const roles = ['administrator'] as const;
      const ada = await enrollOperator(shared, roles);
      const bob = await enrollOperator(shared, roles);
      const as = (token: string) => operatorClient(readConfig({ ...own.env, OPERATOR_TOKEN: token }));
      await shared.post('shared-token/limit', {});
      await as(ada.token).post('four-eyes/on', { batchItems: 2, reason: 'a test' });

      const refused = {
        code: 1,
        stderr: expect.stringMatching(
          /the shared token is limited.* OPERATOR_TOKEN=plop_… before the command\n$/,
        ),
      };
      expect(await demoOn(own, {}, ...people(SIZE))).toMatchObject(refused);
      const withToken = { OPERATOR_TOKEN: ada.token };
      expect(await demoOn(own, withToken, ...people(SIZE))).toMatchObject({ code: 0 });
      expect(await demoOn(own, {}, '--remove')).toMatchObject(refused);
      const waiting = await demoOn(own, withToken, '--remove', '--json');
      expect(waiting).toMatchObject({ code: 3, stderr: expect.stringMatching(/repeat plaza demo --remove/) });
      const { approvalId: id, digest } = JSON.parse(waiting.stdout);
      await as(bob.token).post('approvals/:id/approve', { id, digest });
      expect(await as(ada.token).post('approvals/:id/run', { id })).toMatchObject({
        result: { erased: SIZE },
      });
      expect(await demoOn(own, withToken, '--remove')).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/its people are erased \(0 by this command\)/),
      });
      expect(readTown(own.dataDir)).toBeUndefined();
    } finally {
      await own.stop();
    }
  });
});
