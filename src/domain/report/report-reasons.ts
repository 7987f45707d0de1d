export const reportReasons = ['spam', 'harassment', 'illegal', 'impersonation', 'other'] as const;

export type ReportReason = (typeof reportReasons)[number];
