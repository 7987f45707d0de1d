import { expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { requireNetworkOrigin } from './network-origin.js';

async function statusAt(host: string): Promise<number> {
  const server = fastify();
  requireNetworkOrigin(server, 'http://network.example');
  server.setErrorHandler((_error, _request, reply) => reply.status(403).send());
  server.get('/api/here', () => 'here');
  return (await server.inject({ url: '/api/here', headers: { host } })).statusCode;
}

it.each(['network.example', 'NETWORK.example:80', 'network%2Eexample'])(
  '%s addresses the network',
  async (host) => {
    expect(await statusAt(host)).toBe(200);
  },
);

it.each([
  ['another name', 'other.example'],
  ['a name with a path', 'network.example/api'],
  ['a form of its name that is longer than any host', `network.example:${'0'.repeat(300)}80`],
])('%s does not', async (_what, host) => {
  expect(await statusAt(host)).toBe(403);
});
