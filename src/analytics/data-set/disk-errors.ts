import { UnusableFileError } from '@plaza/event-store';

/** SQLite holds the lock of the directory. */
const SQLITE_FULL = 13;

interface DiskError {
  readonly code?: string;
  readonly syscall?: string;
  readonly errcode?: number;
}

export function isDiskFull(error: unknown): boolean {
  const { code = '', errcode } = error as DiskError;
  return ['ENOSPC', 'EDQUOT'].includes(code) || errcode === SQLITE_FULL;
}

export const isAccessRefused = (error: unknown): boolean =>
  error instanceof UnusableFileError ||
  ['EROFS', 'EACCES', 'EPERM', 'ENOTDIR'].includes((error as DiskError).code ?? '') ||
  isPlaceWithoutDirectories(error as DiskError);

/** Such as below /proc or /dev/null. */
const isPlaceWithoutDirectories = ({ code, syscall }: DiskError): boolean =>
  (code === 'ENOENT' || code === 'EEXIST') && syscall === 'mkdir';
