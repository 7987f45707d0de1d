/** Below it, numbers of reports by somebody, or of their outcomes, would tell about single ones. */
export const FEWEST_REPORTS = 3;

/** Numbers of reports and cases end here. */
export const MOST_COUNTED = 1_000;

/** The newest reports of a case. `caseId`, `limit`: SQL. */
export const newestReports = (columns: string, caseId: string, limit: number | string): string => `
  SELECT ${columns} FROM cases.report WHERE report.case_id = ${caseId} ORDER BY position DESC LIMIT ${limit}`;

/** An object with the number of reports by reason, the most frequent first. Null: none. */
export const countsByReason = (caseId: string): string => `(
  SELECT json_object_agg(reason, count ORDER BY count DESC, reason) FROM (
    SELECT reason, count(*) FROM (${newestReports('reason', caseId, MOST_COUNTED)}) newest GROUP BY reason) counted)`;
