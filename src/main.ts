import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CqrsModule } from '@nestjs/cqrs';
import { AuthModule } from './auth/auth.module.js';
import { mountAuthorizationServer } from './auth/mount.js';
import { readConfig } from './config/config.js';
import { createLogger } from './config/logger.js';
import { HttpModule } from './http/http.module.js';
import { fastifyAdapter, prepareServer } from './http/server.js';
import { announceReady, onStop } from './launch/child.js';
import { startOperatorApi } from './operator/api/operator-api.js';
import { openResources } from './resources.js';

/** The API process: the social API, the authorization server, and the operator API on a port of its own. */

@Module({})
class ApiModule {}

const config = readConfig();
const logger = createLogger(config, 'api');
const resources = await openResources(config, logger);

const modules: DynamicModule = {
  module: ApiModule,
  imports: [CqrsModule.forRoot(), resources.module, AuthModule, HttpModule],
};
const app = await NestFactory.create<NestFastifyApplication>(modules, fastifyAdapter(logger), {
  bodyParser: false,
  logger: false,
  abortOnError: false,
});
const refuseOtherMethods = prepareServer(app, config.baseUrl);
mountAuthorizationServer(app);
await app.init();
await app.register(refuseOtherMethods);
await app.listen(config.port, '0.0.0.0');
const operatorApi = await startOperatorApi(app);

onStop(async () => {
  await operatorApi.close();
  await app.close();
  await resources.close();
});
announceReady();
logger.info({ port: config.port }, 'serving');
