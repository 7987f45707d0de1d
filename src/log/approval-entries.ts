import { z } from 'zod';
import type { ApprovalEvent } from '../domain/approval/events.js';
import type { AllowanceEvent, FourEyesEvent } from '../domain/four-eyes/events.js';
import { at, id } from './registry-entry.js';
import type { RegistryEntries } from './registry-entry.js';

const approvalFields = z.strictObject({ approvalId: id, operatorId: id, at });
const reservationFields = z.strictObject({ operatorId: id, reservationId: id, at });
const digest = z.string();

export const approvalEntries: RegistryEntries<ApprovalEvent | FourEyesEvent | AllowanceEvent> = {
  'approval.requested': {
    version: 1,
    upcasters: [],
    schema: approvalFields.extend({ act: z.string(), content: z.string(), digest, expiresAt: at }),
    personal: { person: (data) => data.approvalId, placeholders: { content: '' } },
  },
  'approval.given': { version: 1, upcasters: [], schema: approvalFields.extend({ digest }) },
  'approval.refused': { version: 1, upcasters: [], schema: approvalFields },
  'approval.voided': { version: 1, upcasters: [], schema: approvalFields },
  'approval.used': { version: 1, upcasters: [], schema: approvalFields },
  'approval.carried_out': { version: 1, upcasters: [], schema: approvalFields },
  'operator.four_eyes_required': {
    version: 1,
    upcasters: [],
    schema: z.strictObject({ batchItems: z.int().positive(), at }),
  },
  'operator.four_eyes_lifted': { version: 1, upcasters: [], schema: z.strictObject({ at }) },
  'operator.restrictions_reserved': {
    version: 1,
    upcasters: [],
    schema: reservationFields.extend({ count: z.int().positive() }),
  },
  'operator.restrictions_returned': { version: 1, upcasters: [], schema: reservationFields },
};
