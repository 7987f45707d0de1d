import { z } from 'zod';
import type { CaseEvent } from '../domain/case/case.js';
import { caseEffects, caseOutcomes } from '../domain/case/events.js';
import { at, id } from './registry-entry.js';
import type { RegistryEntries } from './registry-entry.js';

const subject = z.strictObject({ caseId: id, postId: id.optional(), targetActorId: id, at });
const networkRevision = z.int().nonnegative();
const eventIds = z.array(id);
const effects = z.array(z.enum(caseEffects));
const ruling = subject.extend({ decisionId: id, operatorId: id, notice: z.string() });
const execution = subject.extend({ decisionId: id, changed: effects });

const target = ({ targetActorId }: { readonly targetActorId: string }) => targetActorId;

export const caseEntries: RegistryEntries<CaseEvent> = {
  'case.opened': { version: 1, upcasters: [], schema: subject.extend({ reportId: id }) },
  'case.reopened': { version: 1, upcasters: [], schema: subject.extend({ reportId: id.optional() }) },
  'case.claimed': { version: 1, upcasters: [], schema: subject.extend({ operatorId: id }) },
  'case.disclosed': {
    version: 1,
    upcasters: [],
    schema: subject.extend({ operatorId: id, eventIds, networkRevision }),
  },
  'case.released': { version: 1, upcasters: [], schema: subject.extend({ operatorId: id }) },
  'case.noted': {
    version: 1,
    upcasters: [],
    schema: subject.extend({ note: z.string() }),
    personal: { person: target, placeholders: { note: '' } },
  },
  'case.decided': {
    version: 1,
    upcasters: [],
    schema: subject.extend({
      decisionId: id,
      operatorId: id,
      seenEventIds: eventIds,
      networkRevision,
      outcome: z.enum(caseOutcomes),
      effects,
      notice: z.string(),
    }),
    personal: { person: target, placeholders: { notice: '' } },
  },
  'case.appealed': {
    version: 1,
    upcasters: [],
    schema: subject.extend({ decisionId: id, appeal: z.string() }),
    personal: { person: target, placeholders: { appeal: '' } },
  },
  'case.appeal_upheld': {
    version: 1,
    upcasters: [],
    schema: ruling,
    personal: { person: target, placeholders: { notice: '' } },
  },
  'case.appeal_overturned': {
    version: 1,
    upcasters: [],
    schema: ruling,
    personal: { person: target, placeholders: { notice: '' } },
  },
  'case.effects_applied': { version: 1, upcasters: [], schema: execution },
  'case.effects_undone': { version: 1, upcasters: [], schema: execution },
};
