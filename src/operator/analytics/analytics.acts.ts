import { z } from 'zod';
import { idsOfEvent } from '../../../projections/audit/event.read-model.js';
import { resolveColumn, resolvableColumns } from '../../analytics/columns/resolvable.js';
import { RecordAnalyticsExport, RecordDisclosure } from '../../commands/analytics.js';
import { HttpRefusal } from '../../server/errors.js';
import { decryptFields, ForeignCiphertext } from '../../log/decrypt-fields.js';
import type { EncryptedFields } from '../../log/decrypt-fields.js';
import { identities } from '../desk/who.js';
import { operatorNames } from '../desk/identity/operator-names.js';
import { act } from '../desk/act.js';
import type { ActServices } from '../desk/services.js';
import { operatorIdOf } from '../desk/caller.js';
import { listOf } from '../desk/schemas.js';

const MAX_EVENTS = 100;

const eventId = z.uuid('must be the id of an event');
const texts = z.strictObject({
  events: z
    .array(
      z.strictObject({
        eventId,
        type: z.string().max(64),
        keyId: z.uuid(),
        box: z.base64url(),
      }),
    )
    .min(1)
    .max(MAX_EVENTS),
});
const place = z.strictObject({ position: z.int().nonnegative(), eventId });
const pseudonym = place.extend({ column: z.enum(resolvableColumns) });

const resolved = z.strictObject({ kind: z.string(), id: z.string(), name: z.string().nullish() });

const notFound = () =>
  new HttpRefusal(
    'not_found',
    'The audit has no such event with such an id: the data set is of another network, or newer than the audit. Try again later.',
  );

/** Each is an event before it answers. */
export const analyticsActs = [
  act({
    name: 'analytics.export',
    may: 'audit.export',
    route: 'POST /operator/analytics/exports',
    command: 'analytics export',
    reason: 'optional',
    answer: z.strictObject({ exportId: z.string() }),
    run: async (_input, { services, caller, metadata }) => ({
      exportId: await services.commands.execute(
        new RecordAnalyticsExport(operatorIdOf(caller) ?? '', metadata),
      ),
    }),
  }),
  act({
    name: 'analytics.decrypt',
    may: 'analytics.disclose',
    route: 'POST /operator/analytics/texts',
    command: 'analytics query --decrypt',
    reason: 'required',
    input: texts,
    answer: z.strictObject({ fields: listOf(z.record(z.string(), z.unknown()).nullable()) }),
    run: async ({ events }, { services, caller, metadata }) => {
      const decrypted = await decryptAll(services, events);
      const eventIds = [...new Set(events.map((event) => event.eventId))];
      await services.commands.execute(
        new RecordDisclosure(operatorIdOf(caller) ?? '', { eventIds }, metadata),
      );
      return { fields: decrypted.map((fields) => fields ?? null) };
    },
  }),
  act({
    name: 'analytics.resolve',
    may: 'analytics.disclose',
    route: 'POST /operator/analytics/ids',
    command: 'analytics resolve',
    reason: 'required',
    input: pseudonym,
    answer: resolved,
    run: async ({ column, ...place }, { services, caller, metadata }) => {
      const ids = await idsOfEvent(services.pool, place);
      const found = ids && resolveColumn(column, ids);
      if (!found) throw notFound();
      const { kind, id } = found;
      const disclosure = { eventIds: [place.eventId], [`${kind}Id`]: id };
      await services.commands.execute(new RecordDisclosure(operatorIdOf(caller) ?? '', disclosure, metadata));
      return found;
    },
  }),
  act({
    name: 'analytics.resolve_operator',
    may: 'operators.manage',
    route: 'POST /operator/analytics/operators',
    command: 'analytics resolve --operators',
    reason: 'required',
    input: place,
    answer: resolved,
    run: async (found, { services, caller, metadata }) => {
      const { operatorId: id = null } = (await idsOfEvent(services.pool, found)) ?? {};
      if (id === null) throw notFound();
      const names = { ...identities, ...(await operatorNames(services.store, [id])) };
      const disclosure = { eventIds: [found.eventId] };
      await services.commands.execute(new RecordDisclosure(operatorIdOf(caller) ?? '', disclosure, metadata));
      return { kind: 'operator', id, name: names[id] ?? null };
    },
  }),
];

async function decryptAll({ vault }: ActServices, events: readonly EncryptedFields[]) {
  try {
    return await decryptFields(vault, events);
  } catch (error) {
    if (!(error instanceof ForeignCiphertext)) throw error;
    throw new HttpRefusal(
      'invalid_request',
      `The ciphertext of event ${error.message} is not of this network, or was changed. Nothing is disclosed.`,
      { cause: error },
    );
  }
}
