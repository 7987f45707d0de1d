import type { TableVerification } from '../runner/verification.js';

export const restrictionVerifications: readonly TableVerification[] = [
  {
    table: 'restriction',
    key: ['event_id'],
    expected: 'SELECT witness_epoch, event_id, position FROM fact WHERE witness_epoch IS NOT NULL',
    actual: 'SELECT witness_epoch, event_id, position FROM restriction',
  },
];
