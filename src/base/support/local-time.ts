/** Formats a time (`ms`: Unix milliseconds) like `2026-01-31 09:30:00.000`, in the time zone of the process. */
export function localTime(ms: number): string {
  const date = new Date(ms);
  const shifted = new Date(ms - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, -1).replace('T', ' ');
}
