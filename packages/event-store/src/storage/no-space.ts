const CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** True if the disk, a quota or the limit of file sizes is exhausted: a later attempt may succeed. */
export function isNoSpace(error: unknown): boolean {
  return CODES.has((error as NodeJS.ErrnoException).code ?? '');
}
