import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { readConfig } from '../../base/config/config.js';
import { printResult } from '../../base/terminal/output.js';
import { withTerminal } from '../../base/terminal/terminal.js';
import type { NamedIds, Names } from '../desk/names.js';
import { firstWords } from '../desk/names.js';
import { withNames } from './with-names.js';
import type { NamesInLines } from './names-in-lines.js';
import { OperatorClient } from './operator-client.js';

const none: Names = { actors: {}, applications: {}, operators: {}, posts: {} };
const ada = { name: 'Ada Lovelace', handle: 'ada', isErased: false };

let server: Server;
let asked: NamedIds[];
let status: number;
let known: Names;

beforeEach(async () => {
  [asked, status, known] = [[], 200, none];
  server = createServer((request, response) => {
    void json(request).then((body) => {
      asked.push(body as NamedIds);
      response.statusCode = status;
      response.setHeader('x-request-id', String(request.headers['x-request-id']));
      response.end(
        JSON.stringify(
          status === 200
            ? known
            : { error: status === 400 ? 'invalid_request' : 'capability_required', message: 'no' },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Outputs of a command with such lines. */
async function printed(
  lines: (names: NamesInLines) => readonly string[],
  { isTTY = true, ...options }: { readonly isTTY?: boolean; readonly json?: true } = {},
) {
  const { port } = server.address() as AddressInfo;
  const env = { OPERATOR_PORT: String(port), OPERATOR_TOKEN: 't'.repeat(32) };
  const api = new OperatorClient(readConfig(env), 'a test');
  const [stdout, stderr] = [Object.assign(new PassThrough(), { isTTY }), new PassThrough()];
  await withTerminal({ env, stdin: Readable.from([]), stdout, stderr }, async () => {
    printResult(options, { id: 'a1' }, await withNames(api, options, lines));
  });
  return { shown: String(stdout.read() ?? ''), warned: String(stderr.read() ?? '') };
}

const about = ({ named, nameOf }: NamesInLines) => [
  `${named('actors', 'a1')} wrote ${named('posts', 'p1')} by ${named('applications', 'c1')}`,
  `${nameOf('actors', 'a1')}, ${named('operators', 'shared-token')}`,
];

describe('lines for people', () => {
  it('have names with their ids, by one call', async () => {
    known = { ...none, actors: { a1: ada }, posts: { p1: 'Good morning' } };
    expect((await printed(about)).shown).toBe(
      'Ada Lovelace @ada (a1) wrote “Good morning” (p1) by c1\nAda Lovelace @ada, shared-token\n',
    );
    expect(asked).toEqual([
      { actors: ['a1'], applications: ['c1'], operators: ['shared-token'], posts: ['p1'] },
    ]);
  });

  it('say that a post is not public, an account erased, and nothing of a hidden handle', async () => {
    const erased = { name: '', handle: null, isErased: true };
    known = { ...none, actors: { a1: erased, a2: { ...ada, handle: null } } };
    const lines = ({ named }: NamesInLines) => [
      named('actors', 'a1'),
      named('actors', 'a2'),
      named('posts', 'p1'),
    ];
    expect((await printed(lines)).shown).toBe(
      'erased account (a1)\nAda Lovelace (a2)\n(not public, …p1) (p1)\n',
    );
  });

  it('say that nothing of a text or name is visible', async () => {
    known = { ...none, actors: { a1: { ...ada, name: '\u200b\u3164' } }, posts: { p1: '' } };
    const lines = ({ named, nameOf }: NamesInLines) => [named('actors', 'a1'), nameOf('posts', 'p1')];
    expect((await printed(lines)).shown).toBe('@ada (a1)\n(nothing visible at its beginning, …p1)\n');
    expect(firstWords('\u200b \u200d')).toBe('');
  });

  it('are one line each, whatever a name has, with the whole id', async () => {
    const name = `\u202e\u001b[2J\n(a2) ${'long '.repeat(12)}`;
    known = { ...none, actors: { a1: { ...ada, name } } };
    const { shown } = await printed(({ named }) => [named('actors', 'a1')]);
    expect(shown).toBe(`${String.raw`\u202e\u001b[2J (a2) long long…`} @ada (a1)\n`);
  });

  it('ask for many names in parts that fit into a body', async () => {
    const ids = Array.from({ length: 1_201 }, (_, n) => `a${n}`);
    known = { ...none, actors: { a1: ada } };
    await printed(({ named }) => ids.map((id) => named('actors', id)));
    expect(asked.map(({ actors }) => actors.length)).toEqual([500, 500, 201]);
    expect(asked.flatMap(({ actors }) => actors)).toEqual(ids);
  });

  it.each([400, 403, 404])('have ids alone if the network answers %i', async (answered) => {
    status = answered;
    expect(await printed(about)).toEqual({
      shown: 'a1 wrote p1 by c1\na1, shared-token\n',
      warned: '',
    });
  });

  it('have ids alone if a store does not answer, and that is said', async () => {
    status = 503;
    const { shown, warned } = await printed(about);
    expect(shown).toBe('a1 wrote p1 by c1\na1, shared-token\n');
    expect(warned).toBe('names are missing: no (capability_required)\n');
  });

  it('have ids alone in a file or pipe, and JSON has no line, without a call', async () => {
    known = { ...none, actors: { a1: ada } };
    expect((await printed(about, { isTTY: false })).shown).toBe('a1 wrote p1 by c1\na1, shared-token\n');
    expect((await printed(about, { json: true })).shown).toBe('{"id":"a1"}\n');
    expect(asked).toEqual([]);
  });

  it('have no name for an id that is a field of each object', async () => {
    const lines = ({ named }: NamesInLines) => [named('actors', 'constructor'), named('posts', 'toString')];
    expect((await printed(lines)).shown).toBe('constructor\n(not public, …String) (toString)\n');
  });

  it('without an id ask for nothing', async () => {
    expect((await printed(() => ['nothing to do'])).shown).toBe('nothing to do\n');
    expect(asked).toEqual([]);
  });
});
