import { fastify } from 'fastify';

/** Floor of an HTTP API: Fastify with a constant response. */
const server = fastify();
const answer = { actorId: 'a', appId: 'b', grantId: 'c', scopes: ['read'], expiresAt: 0, incarnation: 'd' };
server.get('/api/session', () => answer);
const port = new URL(await server.listen({ port: 0, host: '127.0.0.1' })).port;
process.on('disconnect', () => process.exit());
process.send?.({ port: Number(port) });
