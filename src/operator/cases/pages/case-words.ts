import { numbers } from '../../console/tables.js';

export const outcomeNames = { violation: 'violation', no_violation: 'no violation' } as const;

export const effectNames = {
  restrict_post: 'restrict the post',
  suspend_actor: 'suspend the account',
} as const;

/** `2 spam, 1 other`. `isAll`: false if these are fewer than the reports. */
export function reasonCounts(counts: readonly (readonly [string, number])[], reports: number) {
  return {
    text: counts.map(([reason, count]) => `${numbers.format(count)} ${reason}`).join(', '),
    isAll: counts.reduce((sum, [, count]) => sum + count, 0) >= reports,
  };
}
