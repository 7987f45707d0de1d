import { evolveOrigin, noOrigin } from '../../domain/four-eyes/standing.js';
import type { Origin } from '../../domain/four-eyes/standing.js';
import type { OperatorEvent } from '../../domain/operator/operator.js';
import type { Recorded } from '../../log/recorded.js';
import { isApprovalStream } from '../../log/streams.js';

export const originIn = (recorded: readonly Recorded[]): Origin =>
  recorded.reduce(
    (origin, { event, metadata: { cause = '' } }) =>
      evolveOrigin(origin, event as OperatorEvent, isApprovalStream(cause)),
    noOrigin,
  );
