import { fastify } from 'fastify';

/** The least that an HTTP API can do: Fastify, and an answer that is always the same. */
const server = fastify();
const answer = { actorId: 'a', appId: 'b', grantId: 'c', scopes: ['read'], expiresAt: 0, incarnation: 'd' };
server.get('/api/session', () => answer);
const port = new URL(await server.listen({ port: 0, host: '127.0.0.1' })).port;
process.on('disconnect', () => process.exit());
process.send?.({ port: Number(port) });
