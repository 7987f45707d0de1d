import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { z } from 'zod';
import { backupParts } from '../../recovery/backup/format/manifest.js';
import { encodeLogPart, encodeTablesPart } from '../../recovery/backup/format/part-source.js';
import { SendBackupPart } from '../../commands/network/records.js';
import { BeginBackup } from '../../commands/network/network.js';
import { storesOf } from '../../base/config/config.js';
import type { Config } from '../../base/config/config.js';
import { describeError } from '../../base/config/error-description.js';
import { plazaVersion } from '../../base/config/version.js';
import { HttpRefusal } from '../../server/errors.js';
import { readRunFile } from '../../launch/run-file.js';
import { act, Answer } from '../desk/act.js';
import { identifier } from '../desk/schemas.js';

/** Each part is sent in a request of its own: the client chooses their order. */
const newBackup = z.strictObject({ parts: z.array(z.enum(backupParts)).min(1) });
const begun = z.strictObject({
  backupId: z.string().regex(identifier, 'must be the id of a backup that you began'),
});
const logCopy = begun.extend({ upTo: z.string().regex(/^\d{1,18}$/, 'must be a position of the log') });
const databasePart = z.enum(['authority', 'vault', 'witness']);

const BINARY = 'application/octet-stream';
const frames = z.instanceof(Readable).describe('frames of the part, as bytes');

export const backupActs = [
  act({
    name: 'backup.begin',
    may: 'backups.take',
    route: 'POST /operator/backups',
    command: 'backup',
    reason: 'optional',
    input: newBackup,
    answer: z.strictObject({
      backupId: z.string(),
      networkId: z.string(),
      at: z.number(),
      /** Position of the event that records the start of the backup. The copied log ends with it. */
      position: z.string(),
      version: z.string(),
    }),
    duplicates: 'backup',
    run: async ({ parts }, { services: { commands, config }, metadata }) => {
      if (parts.includes('log')) embeddedLog(config);
      if (parts.includes('witness')) requireWitness(storesOf(config).witnessDatabaseUrl);
      const { position, ...backup } = await commands.execute(new BeginBackup(metadata));
      return new Answer(201, { ...backup, position: String(position), version: plazaVersion() });
    },
  }),
  act({
    name: 'backup.read_log',
    may: 'backups.take',
    route: 'GET /operator/backups/log',
    input: logCopy,
    answer: frames,
    run: async ({ backupId, upTo }, { services: { commands, config, logger }, metadata }) => {
      const dir = embeddedLog(config);
      await commands.execute(new SendBackupPart(backupId, 'log', metadata));
      return new Answer(200, await streamOf(encodeLogPart(dir, BigInt(upTo), explainTo(logger))), BINARY);
    },
  }),
  act({
    name: 'backup.read_part',
    may: 'backups.take',
    route: 'GET /operator/backups/:part',
    input: begun,
    answer: frames,
    run: async ({ backupId }, { services: { commands, config, logger }, params, metadata }) => {
      const part = databasePart.safeParse(params['part']).data;
      if (part === undefined) throw new HttpRefusal('not_found', 'A backup has no such part.');
      const { databaseUrl, vaultDatabaseUrl, witnessDatabaseUrl } = storesOf(config);
      const urls = {
        authority: databaseUrl,
        vault: vaultDatabaseUrl,
        witness: part === 'witness' ? requireWitness(witnessDatabaseUrl) : '',
      };
      await commands.execute(new SendBackupPart(backupId, part, metadata));
      return new Answer(200, await streamOf(encodeTablesPart(part, urls[part], explainTo(logger))), BINARY);
    },
  }),
];

const explainTo =
  (logger: Logger) =>
  (error: unknown): string => {
    logger.error({ err: error }, 'backup part not sent');
    return describeError(error).message;
  };

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
