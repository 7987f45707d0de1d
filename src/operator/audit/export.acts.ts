import { Readable } from 'node:stream';
import { z } from 'zod';
import { RecordExport } from '../../commands/network/records.js';
import { describeError } from '../../base/config/error-description.js';
import { HttpRefusal } from '../../server/errors.js';
import { exportAudit } from './export.js';
import { recordSearch } from './looks.js';
import { auditProgress, waitForAudit } from './progress.js';
import { resolveExport } from './resolve.js';
import { searchText } from './search-query.js';
import { act, Answer } from '../desk/act.js';
import { searchOf } from './audit.acts.js';
import { operatorIdOf } from '../desk/caller.js';

/** Below the time in which the command line expects an answer. */
const WAIT_MS = 20_000;

const exportedSearch = z.strictObject({ q: z.string().max(8_192).default('') });

export const exportActs = [
  act({
    name: 'audit.export',
    may: 'audit.export',
    route: 'GET /operator/audit/export',
    command: 'export audit',
    reason: 'optional',
    input: exportedSearch,
    answer: z.instanceof(Readable).describe('events as JSON, one a line, and a signed note'),
    duplicates: 'export',
    run: async ({ q }, context) => {
      const { services, caller, metadata } = context;
      const { pool, log, clock, commands, logKeys, logger } = services;
      const search = await resolveExport(services, searchOf(q, clock.now()));
      const query = searchText(search);
      const recorded = await commands.execute(new RecordExport(query, metadata));
      const head = await waitForAudit(services, WAIT_MS);
      const { position } = await auditProgress(pool, log, head);
      if ((position ?? -1) < Number(recorded.position))
        throw new HttpRefusal(
          'protected_read_unavailable',
          'The audit has not caught up with the log, so an export would lack events; check plaza projections status, and export again.',
        );
      await recordSearch(context, search);
      const operatorId = operatorIdOf(caller);
      const parts = exportAudit(pool, logKeys.signers, { search, query, recorded, operatorId }, (error) => {
        logger.error({ err: error }, 'audit not exported');
        return describeError(error).message;
      });
      return new Answer(200, Readable.from(parts, { objectMode: false }), 'application/jsonl; charset=utf-8');
    },
  }),
];
