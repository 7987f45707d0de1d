import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runPlaza } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { blocksOf } from './support/document.js';
import { Walk } from './support/walk.js';

/** A whole network starts here, on a machine that may be busy with other tests. */
jest.setTimeout(120_000);

const document = readFileSync(new URL('../../docs/applications.md', import.meta.url), 'utf8');
const steps = blocksOf(document).map((block, at) => {
  const [first = ''] = block.text.split('\n');
  return [`${at + 1}, ${block.heading}: ${first.slice(0, 80)}`, block] as const;
});

let network: TestNetwork;
let walk: Walk;

beforeAll(async () => {
  network = await startNetwork();
  const person = { handle: 'ana', password: 'correct horse battery' };
  const account = ['--handle', person.handle, '--display-name', 'Ana', '--email', 'ana@example.org'];
  await runPlaza(['account', 'create', ...account, '--password-stdin'], network.env, person.password);
  walk = new Walk(network, person);
});

afterAll(async () => {
  await network?.stop();
});

describe('docs/applications.md', () => {
  it('has an answer for every request and command', () => {
    expect(steps.length % 2).toBe(0);
    expect(steps.length).toBeGreaterThan(20);
  });

  it('names every scope that the network announces', async () => {
    const answer = await fetch(`${network.baseUrl}/api/auth/.well-known/openid-configuration`);
    const { scopes_supported: announced } = (await answer.json()) as { scopes_supported: string[] };
    const [, rows = ''] = document.split(/^\| Scope .*\n.*\n/m);
    const [table = ''] = rows.split('\n\n');
    const named = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, scope]) => scope);
    expect(new Set(named)).toEqual(new Set(announced));
  });

  // One after the other: each goes on where the one before it came to.
  it.each(steps)('is right in block %s', async (_name, block) => {
    const { actual, expected } = await walk.take(block);
    expect(actual).toEqual(expected);
  });
});
