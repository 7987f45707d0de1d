import 'reflect-metadata';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { fastifyAdapter, prepareServer } from '../server.js';

@Controller('api/here')
class Here {
  @Get()
  here(): object {
    return { here: true };
  }
}

@Module({ controllers: [Here] })
class Served {}

const config = { baseUrl: 'http://network.example', trustedProxies: [] };

it('a request that arrives while the server stops is answered, and its connection ends', async () => {
  const adapter = fastifyAdapter(pino({ level: 'silent' }), config);
  const app = await NestFactory.create<NestFastifyApplication>(Served, adapter, {
    logger: false,
    bodyParser: false,
  });
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  const stopping = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  server.addHook('preClose', async () => {
    stopping.resolve();
    await mayEnd.promise;
  });
  const refuseOtherMethods = prepareServer(app, config, []);
  await app.init();
  await app.register(refuseOtherMethods);
  await app.listen(0, '127.0.0.1');
  const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'connect');

  const closed = app.close();
  await stopping.promise;
  client.write('GET /api/here HTTP/1.1\r\nHost: network.example\r\n\r\n');
  const answer = await text(client);
  mayEnd.resolve();
  await closed;

  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  expect(answer).toContain('{"here":true}');
});
