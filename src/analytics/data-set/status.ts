import { acquireDirectory } from '../../launch/data-dir.js';
import { columnsOf, shapeOf } from '../columns/columns.js';
import type { Column, Personal } from '../columns/columns.js';
import { requireState } from './commits.js';

export interface Status {
  readonly events: number;
  readonly files: number;
  readonly days: number;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  readonly bytes: number;
  readonly position: number | null;
  readonly committedAt: string;
  readonly personal: Personal;
  readonly since: number | null;
  readonly isExporting: boolean;
  /** True: files were written by a release with other columns. */
  readonly hasOlderColumns: boolean;
}

/** @throws {Failure} the directory is no data set. */
export function statusOf(dir: string): Status {
  const { files, checkpoint, committedAt, personal, since, shape } = requireState(dir);
  const release = acquireDirectory(dir);
  release?.();
  const days = [...new Set(files.map(({ day }) => day))].toSorted();
  return {
    events: files.reduce((sum, { rows }) => sum + rows, 0),
    files: files.length,
    days: days.length,
    firstDay: days[0] ?? null,
    lastDay: days.at(-1) ?? null,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    position: checkpoint?.position ?? null,
    committedAt,
    personal,
    since,
    isExporting: release === undefined,
    hasOlderColumns: shape !== shapeOf(personal),
  };
}

/** @throws {Failure} the directory is no data set. */
export const schemaOf = (dir: string): readonly Column[] => columnsOf(requireState(dir).personal);
