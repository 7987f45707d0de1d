import type { EventMetadata } from '../../log/recorded.js';
import { batchIdOf, caseIdOf } from '../../log/streams.js';

interface MetadataColumn {
  readonly treatment: 'id' | 'clear';
  readonly column: string;
}

/**
 * `by_operator` is true of an operator's act, without the name or id. `causes`: the name of a stream, of which
 * {@link idsOfCause} are exported as pseudonyms.
 */
export const metadataColumns: {
  readonly [Field in keyof Required<EventMetadata>]: MetadataColumn | 'causes' | 'omit';
} = {
  actorId: { treatment: 'id', column: 'by_actor_id' },
  appId: { treatment: 'clear', column: 'by_app_id' },
  grantId: { treatment: 'id', column: 'by_grant_id' },
  addressClass: { treatment: 'clear', column: 'address_class' },
  requestId: 'omit',
  clientRequestId: 'omit',
  intentId: 'omit',
  payloadHash: 'omit',
  operator: 'omit',
  operatorId: 'omit',
  systemAccount: 'omit',
  reason: 'omit',
  decisionId: { treatment: 'id', column: 'decision_id' },
  cause: 'causes',
  witnessEpoch: 'omit',
};

/** The case or batch whose stream has this name, by its column. */
export const idsOfCause = (stream: string): Readonly<Record<string, string | undefined>> => ({
  case_id: caseIdOf(stream),
  batch_id: batchIdOf(stream),
});
