export const reportReasons = ['spam', 'harassment', 'illegal', 'impersonation', 'other'] as const;

export type ReportReason = (typeof reportReasons)[number];

/**
 * The gravity of reasons: spam is low, harassment high, illegal content critical, any other medium. The numbers are in the
 * tables (src/base/store/migrations/1763902000000-case-urgency.ts).
 */
export const severities = ['low', 'medium', 'high', 'critical'] as const;

export type Severity = (typeof severities)[number];
