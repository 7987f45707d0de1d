import { acquireDirectory } from '../../launch/data-dir.js';
import { isAccessRefused, isDiskFull } from './disk-errors.js';

/**
 * Keeps exports away from a data set until the returned function is called; undefined: an export runs. None runs in a
 * directory where the lock cannot be written.
 */
export function lockForReading(dir: string): (() => void) | undefined {
  try {
    return acquireDirectory(dir);
  } catch (error) {
    if (isAccessRefused(error) || isDiskFull(error)) return () => undefined;
    throw error;
  }
}
