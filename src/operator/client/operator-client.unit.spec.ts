import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readConfig } from '../../base/config/config.js';
import { Failure } from '../../base/terminal/failure.js';
import { OperatorClient } from './operator-client.js';

let server: Server;
/** The answer of the network; undefined: none. */
let answered: string | undefined;

beforeEach(async () => {
  server = createServer((_request, response) => {
    if (answered !== undefined) response.end(answered);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function api(answerTimeoutMs?: number): OperatorClient {
  const { port } = server.address() as AddressInfo;
  const config = readConfig({ OPERATOR_PORT: String(port), OPERATOR_TOKEN: 't'.repeat(32) });
  return new OperatorClient(config, 'a test', answerTimeoutMs);
}

const fault = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error);

describe('the status of projections', () => {
  it('is understood if the log is unavailable, nothing is applied, or a group has stopped', async () => {
    const status = {
      incarnation: null,
      quarantine: null,
      projections: [
        { name: 'posts', version: 1, position: null, lag: null },
        {
          name: 'follows',
          version: 2,
          position: 7,
          lag: 3,
          stopped: { reason: 'not understood', position: 9, eventId: 'e' },
        },
      ],
    };
    answered = JSON.stringify(status);
    expect(await api().projections()).toEqual(status);
  });

  it.each(['nonsense', '{"projections":"none"}'])(
    'fails with a message when the answer is %s',
    async (answer) => {
      answered = answer;
      const error = await fault(api().projections());
      expect(error).toBeInstanceOf(Failure);
      expect((error as Failure).message).toMatch(/^the server at .* is not the operator API of this release/);
    },
  );

  it('is waited for only until a timeout', async () => {
    answered = undefined;
    const error = await fault(api(100).projections());
    expect(error).toBeInstanceOf(Failure);
    expect((error as Failure).message).toMatch(/^the operator API at .* does not answer/);
  });
});
