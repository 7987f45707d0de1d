import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import type { accountActs } from '../people/account.acts.js';
import { lifecycleLine, withReason } from './command-options.js';
import { performing } from './perform.js';

let server: Server;
let asked: string[] = [];
const environment = process.env;

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push(`${request.method} ${request.url} ${body} as ${String(request.headers['x-operator'])}`);
      response.setHeader('x-request-id', String(request.headers['x-request-id']));
      response.end('{"changed":true,"revision":2}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  process.env = { ...environment, OPERATOR_PORT: String(port), OPERATOR_TOKEN: 't'.repeat(32) };
});

afterEach(async () => {
  process.env = environment;
  jest.restoreAllMocks();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('an action sends arguments and options as the input of its act, and prints the answer', async () => {
  const printed = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const command = () =>
    withReason(new Command())
      .argument('<id>')
      .option('--delay <ms>', '', Number)
      .action(
        performing<typeof accountActs>()('POST /operator/accounts/:id/erase', (result, id, { delayMs }) => [
          lifecycleLine(id, `erased in ${delayMs}`, result),
        ]),
      );
  const given = ['ana', '--delay', '7', '--reason', 'asked', '--as', 'root'];
  await command().parseAsync(given, { from: 'user' });
  await command().parseAsync([...given, '--json'], { from: 'user' });
  const request = 'POST /operator/accounts/ana/erase {"delayMs":7,"reason":"asked"} as root';
  expect(asked.map((each) => each.replace(/\{.*\}/, sorted))).toEqual([request, request]);
  expect(printed.mock.calls.map(([line]) => line)).toEqual([
    'ana is erased in 7 now (lifecycle revision 2)\n',
    '{"changed":true,"revision":2}\n',
  ]);
});

const sorted = (json: string): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(JSON.parse(json) as object).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
