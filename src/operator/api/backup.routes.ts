import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import { BeginBackup } from '../../commands/network/begin-backup.js';
import { Config, storesOf } from '../../config/config.js';
import { describeError } from '../../config/error-description.js';
import { LOGGER } from '../../config/logger.js';
import { plazaVersion } from '../../config/version.js';
import { HttpRefusal } from '../../http/server/errors.js';
import { readRunFile } from '../../launch/run-file.js';
import { backupParts } from '../../backup/format/manifest.js';
import { encodeLogPart, encodeTablesPart } from '../../backup/format/part-source.js';
import { commandMetadata } from './command-metadata.js';
import { command, parse } from './schemas.js';

const parts = z.array(z.enum(backupParts)).min(1);
const newBackup = command.extend({ parts });
const logPosition = z.strictObject({ upTo: z.string().regex(/^\d{1,18}$/, 'must be a position of the log') });
const databasePart = z.enum(['authority', 'vault', 'witness']);

/** Routes that begin a backup and send its parts, each in a request of its own: the client chooses their order. */
export function backupRoutes(server: FastifyInstance, app: INestApplicationContext): void {
  const commands = app.get(CommandBus);
  const config = app.get(Config);
  const logger = app.get<Logger>(LOGGER);
  const { witnessDatabaseUrl, databaseUrl, vaultDatabaseUrl } = storesOf(config);

  server.post('/operator/backups', async (request, reply) => {
    const { reason, parts } = parse(newBackup, request.body);
    if (parts.includes('log')) embeddedLog(config);
    if (parts.includes('witness')) requireWitness(witnessDatabaseUrl);
    const { position, ...begun } = await commands.execute(new BeginBackup(commandMetadata(request, reason)));
    return reply.status(201).send({ ...begun, position: String(position), version: plazaVersion() });
  });

  const explain = (error: unknown): string => {
    logger.error({ err: error }, 'backup part not sent');
    return describeError(error).message;
  };

  server.get('/operator/backups/log', async (request, reply) => {
    const { upTo } = parse(logPosition, request.query);
    const frames = encodeLogPart(embeddedLog(config), BigInt(upTo), explain);
    return reply.type(BINARY).send(await streamOf(frames));
  });

  server.get('/operator/backups/:part', async (request, reply) => {
    const { part } = request.params as { readonly part: string };
    const database = databasePart.safeParse(part).data;
    if (database === undefined) throw new HttpRefusal('not_found', 'A backup has no such part.');
    const urls = {
      authority: databaseUrl,
      vault: vaultDatabaseUrl,
      witness: database === 'witness' ? requireWitness(witnessDatabaseUrl) : '',
    };
    return reply.type(BINARY).send(await streamOf(encodeTablesPart(database, urls[database], explain)));
  });
}

const BINARY = 'application/octet-stream';

/** Reads the first chunk before the response starts, so that an unreachable store gets an error response. */
async function streamOf(frames: AsyncIterable<Buffer>): Promise<Readable> {
  const stream = Readable.from(frames, { objectMode: false });
  await once(stream, 'readable');
  return stream;
}

/**
 * Returns the directory of the embedded event store.
 * @throws {HttpRefusal} the log is on an external EventStoreDB.
 */
function embeddedLog({ dataDir, eventStoreUrl }: Config): string {
  const run = readRunFile(dataDir);
  const isOurs = run?.pids.eventStore !== undefined && run.settings['EVENTSTORE_URL'] === eventStoreUrl;
  if (isOurs) return join(dataDir, 'eventstore');
  throw new HttpRefusal(
    'invalid_request',
    'The log is on a server of its own (EVENTSTORE_URL), and a copy made by Plaza would not keep its positions. Back it up by the means of that server (https://docs.kurrent.io/server/, "Backup and restore") first, then the other parts: --parts authority,vault,witness.',
  );
}

function requireWitness(url: string | undefined): string {
  if (url !== undefined) return url;
  throw new HttpRefusal(
    'restriction_witness_required',
    'This network has no witness (WITNESS_DATABASE_URL): name the other parts with --parts.',
  );
}
