const CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The disk, a quota or a limit of file sizes leaves no room: not broken, and to be tried again. */
export function isNoSpace(error: unknown): boolean {
  return CODES.has((error as NodeJS.ErrnoException).code ?? '');
}
