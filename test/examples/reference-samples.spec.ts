/**
 * Each sample of the reference runs as it is shown. What differs for each reader is in the environment.
 *
 * @slow
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { HttpModule } from '../../src/doors/api/http.module.js';
import { documentOf } from '../../src/doors/api/openapi/document.js';
import { operationsOf } from '../../src/doors/api/openapi/openapi.js';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { authorizationRequest, discover, exchange } from '../auth/support/flow.js';
import { operatorOf, password, registerApplication } from '../support/api.js';
import type { Application } from '../support/api.js';
import { environment, root } from '../support/command.js';
import { personWithToken } from '../support/people.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { post } from '../support/social.js';
import { codeBlocksOf } from './support/page.js';

const run = promisify(execFile);
const scope = allScopes.join(' ');
const operations = operationsOf(documentOf(HttpModule, 'http://localhost')).map(({ operation, path }) => ({
  id: operation.operationId,
  isOfAuth: path.includes('/api/auth'),
}));

let network: SharedNetwork;
let application: Application;
let directory: string;

beforeAll(async () => {
  network = await sharedNetwork();
  application = await registerApplication(network);
  directory = mkdtempSync(join(tmpdir(), 'plaza-samples-'));
  // In place of `npm install`, the first line of the shown set-up.
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  // Says the status after the answer, without a change of the sample.
  writeFileSync(join(directory, '.curlrc'), 'silent\nshow-error\nwrite-out = "\\n%{http_code}"\n');
  const [install, client] = await blocksAt('/docs');
  const setUp = install?.text.replace(/^npm install .*$/m, '') ?? '';
  await run('sh', ['-ec', setUp], { cwd: directory, env: environment() });
  writeFileSync(join(directory, 'plaza.ts'), client?.text ?? '');
});

afterAll(() => rmSync(directory, { recursive: true }));

async function blocksAt(path: string) {
  const answer = await fetch(network.baseUrl + path);
  expect(answer.status).toBe(200);
  return codeBlocksOf(await answer.text());
}

async function sampleOf(id: string, caption: string): Promise<string> {
  const found = (await blocksAt(`/docs/operations/${id}`)).find((block) => block.caption === caption);
  return found?.text ?? '';
}

/** The environment of a new reader: a person, and another to act on. */
async function readersEnvironment({ id, isOfAuth }: (typeof operations)[number]): Promise<NodeJS.ProcessEnv> {
  const [person, other] = await Promise.all([
    personWithToken(network, application, scope),
    personWithToken(network, application),
  ]);
  const author = ['editPost', 'deletePost'].includes(id) ? person : other;
  return {
    CLIENT_ID: application.clientId,
    CLIENT_SECRET: application.clientSecret,
    TOKEN: person.token,
    ACTOR_ID: other.actorId,
    TARGET_ID: other.actorId,
    POST_ID: await post(author, 'To be read, changed or deleted'),
    ...(isOfAuth ? await signInOnPages() : {}),
  };
}

/** The authorization server knows only tokens that it issued, and a code is valid once. */
async function signInOnPages(): Promise<NodeJS.ProcessEnv> {
  const handle = `p_${randomUUID().slice(0, 8)}`;
  const account = { handle, displayName: 'Ada', email: `${handle}@example.org`, password };
  await operatorOf(network).post('accounts', account);
  const client = await discover({ issuer: `${network.baseUrl}/api/auth` }, application);
  const browser = new Browser(network.baseUrl);
  const consented = async () => {
    const attempt = await authorizationRequest(client, scope);
    return { attempt, callback: await browser.authorize(attempt.url, { handle, password }) };
  };
  const first = await consented();
  const { access_token } = await exchange(client, first.callback, first.attempt);
  const { attempt, callback } = await consented();
  return {
    TOKEN: access_token,
    CODE: callback.searchParams.get('code') ?? '',
    CODE_VERIFIER: attempt.verifier,
  };
}

describe('the samples of the reference', () => {
  it.each(operations)('run with curl: $id', async (operation) => {
    const { id } = operation;
    const env = environment({ ...(await readersEnvironment(operation)), CURL_HOME: directory });
    const { stdout } = await run('sh', ['-ec', await sampleOf(id, 'curl')], { env });
    const [, body, status] = /^(.*)\n(\d+)$/s.exec(stdout) ?? [];
    expect([id, body, status]).toEqual([id, body, '200']);
  });

  it.each(operations)('run in TypeScript: $id', async (operation) => {
    const { id } = operation;
    const env = environment(await readersEnvironment(operation));
    writeFileSync(join(directory, `${id}.ts`), await sampleOf(id, 'TypeScript'));
    const { stdout } = await run(process.execPath, [`${id}.ts`], { cwd: directory, env });
    expect(stdout).not.toBe('');
  });

  it('are accepted by the compiler', async () => {
    const files = operations.map(({ id }) => join(directory, `${id}.ts`));
    for (const { id } of operations)
      writeFileSync(join(directory, `${id}.ts`), await sampleOf(id, 'TypeScript'));
    const program = ts.createProgram(files, {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ESNext,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    });
    const faults = ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ file, messageText }) =>
          `${file?.fileName.slice(directory.length)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      );
    expect(faults).toEqual([]);
  });
});
