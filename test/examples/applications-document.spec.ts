/**
 * The document of application developers, from its first command to its last.
 *
 * @sample first
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentOf } from '../../src/doors/api/openapi/document.js';
import { operationsOf } from '../../src/doors/api/openapi/openapi.js';
import { HttpModule } from '../../src/doors/api/http.module.js';
import { operatorOf, password, registerApplication, signInRegistered } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { blocksOf } from './support/document.js';
import { DocumentRunner } from './support/document-runner.js';
import { codeBlocksOf } from './support/page.js';

const document = readFileSync(new URL('../../docs/applications.md', import.meta.url), 'utf8');
const steps = blocksOf(document).map((block, at) => {
  const [first = ''] = block.text.split('\n');
  return [`${at + 1}, ${block.heading}: ${first.slice(0, 80)}`, block] as const;
});

/** The document's list of scopes. */
const operationsByScope = Object.fromEntries(
  [...document.matchAll(/^- `([a-z_:]+)`: (.*?)(?=^- |\n\n)/gms)].map(([, scope = '', says = '']) => [
    scope,
    [...says.matchAll(/`([A-Z]+ \/[^`]+)`/g)].map(([, operation = '']) => operation),
  ]),
);

let network: TestNetwork;
let walk: DocumentRunner;

beforeAll(async () => {
  network = await lentNetwork();
  const person = { handle: 'ana', password };
  const account = ['--handle', person.handle, '--display-name', 'Ana', '--email', 'ana@example.org'];
  await runPlaza(['account', 'create', ...account, '--password-stdin'], network.env, person.password);
  const ben = { handle: 'ben', displayName: 'Ben', email: 'ben@example.org', password };
  const { actorId } = await operatorOf(network).post('accounts', ben);
  const quartz = await registerApplication(network, 'Quartz');
  const signedIn = await signInRegistered(network, quartz, { ...ben, actorId }, 'openid post:create');
  await signedIn.say('Good morning, @ana');
  walk = new DocumentRunner(network, person);
});

afterAll(async () => {
  await network?.stop();
});

describe('docs/applications.md', () => {
  it('has an answer after every request and command', () => {
    expect(steps.length % 2).toBe(0);
    expect(steps.length).toBeGreaterThan(20);
  });

  it('names every announced scope', async () => {
    const answer = await fetch(`${network.baseUrl}/api/auth/.well-known/openid-configuration`);
    const { scopes_supported: announced } = (await answer.json()) as { scopes_supported: string[] };
    expect(new Set(Object.keys(operationsByScope))).toEqual(new Set(announced));
  });

  it('names each operation of the API under its scope', () => {
    const needed = operationsOf(documentOf(HttpModule, network.baseUrl)).flatMap(
      ({ path, method, operation }) =>
        operation.security.flatMap(({ network: scopes = [] }) =>
          scopes.map((scope) => [scope, `${method.toUpperCase()} ${path}`] as const),
        ),
    );
    const missing = needed.filter(([scope, operation]) => !operationsByScope[scope]?.includes(operation));
    expect(missing).toEqual([]);
    expect(Object.values(operationsByScope).flat()).toHaveLength(needed.length);
  });

  it('is served as the guide of the network, with its addresses', async () => {
    const page = await (await fetch(`${network.baseUrl}/docs/guide`)).text();
    const shown = codeBlocksOf(page).map(({ text }) => text);
    const { host } = new URL(network.baseUrl);
    expect(shown.filter((text) => !text.startsWith(' browser'))).toEqual(
      steps.map(([, { text }]) =>
        text
          .replaceAll('<HOST>', host)
          .replaceAll('<ISSUER_ENCODED>', encodeURIComponent(`${network.baseUrl}/api/auth`)),
      ),
    );
    expect(page).toContain(`<code>${network.baseUrl}/api/auth/.well-known/openid-configuration</code>`);
    expect(page).not.toMatch(/&lt;(?:BASE_URL|HOST|ISSUER_ENCODED)&gt;/);
    for (const [, title = ''] of document.matchAll(/^#+ (.+)$/gm)) expect(page).toContain(`>${title}</a></h`);
  });

  // In order: each block continues from the one before.
  it.each(steps)('is right in block %s', async (_name, block) => {
    const { actual, expected } = await walk.take(block);
    expect(actual).toEqual(expected);
  });
});
