import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { readConfig } from '../../base/config/config.js';
import { Failure } from '../../base/terminal/failure.js';
import { AwaitsApproval } from './awaits-approval.js';
import { OperatorClient } from './operator-client.js';

let server: Server;
/** The answer of the network; undefined: none. */
let answered: string | undefined;
/** False: the server is another one. */
let isPlaza: boolean;
/** Method, address and body of each request. */
let asked: string[] = [];

beforeEach(async () => {
  asked = [];
  isPlaza = true;
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  asked.push(`${request.method} ${request.url} ${await text(request)}`);
  const requestId = request.headers['x-request-id'];
  if (isPlaza && requestId !== undefined) response.setHeader('x-request-id', requestId);
  response.statusCode = answered?.includes('waitsFor') ? 202 : 200;
  if (answered !== undefined) response.end(answered);
}

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

describe('an answer of the operator API', () => {
  it('is that of the route, with parameters in its address and other fields in its query', async () => {
    answered = '{"next":null}';
    const given = { stream: 'plaza_post-a/b', from: 7, before: undefined };
    expect(await api().call('GET /operator/log/:stream', given)).toEqual({ next: null });
    expect(asked).toEqual(['GET /operator/log/plaza_post-a%2Fb?from=7 ']);
  });

  it('is that of the route, with the other fields in its body', async () => {
    answered = '{"changed":true}';
    await api().call('POST /operator/posts/:id/restrict', { id: 'p', reason: 'spam', revision: undefined });
    expect(asked).toEqual(['POST /operator/posts/p/restrict {"reason":"spam"}']);
  });

  it('that waits for an approval is an error, which has the request', async () => {
    // The release before has no words for the act.
    const act = 'four_eyes.turn_off';
    answered = JSON.stringify({ waitsFor: 'approval', approvalId: 'a', act, facts: {}, expiresAt: 0 });
    const error = await fault(api().call('POST /operator/four-eyes/off'));
    expect(error).toBeInstanceOf(AwaitsApproval);
    expect((error as AwaitsApproval).request.approvalId).toBe('a');
    expect((error as AwaitsApproval).message).toMatch(/^four_eyes.turn_off: it waits/);
  });

  it.each(['nonsense', '"serving"'])('fails with a message when the answer is %s', async (answer) => {
    answered = answer;
    const error = await fault(api().call('GET /operator/projections'));
    expect(error).toBeInstanceOf(Failure);
    expect((error as Failure).message).toMatch(/^the server at .* is not the operator API of this release/);
  });

  it.each(['{"status":"ok"}', '[]', '{"changed":true}'])(
    'is not taken from another server: %s',
    async (answer) => {
      [answered, isPlaza] = [answer, false];
      for (const asking of [
        () => api().call('POST /operator/accounts/:id/suspend', { id: 'a' }),
        () => api().stream('GET /operator/audit/export', {}),
      ]) {
        const error = await fault(asking());
        expect(error).toBeInstanceOf(Failure);
        expect((error as Failure).message).toMatch(
          /^the server at .* is not the operator API of this release/,
        );
      }
    },
  );

  it('is waited for only until a timeout', async () => {
    answered = undefined;
    const error = await fault(api(100).call('GET /operator/projections'));
    expect(error).toBeInstanceOf(Failure);
    expect((error as Failure).message).toMatch(/^the operator API at .* does not answer/);
  });
});
