import type { AuditCursor } from '../../../projections/audit/audit.read-model.js';
import type { FollowCursor } from '../../../projections/audit/follow.read-model.js';

/** `<at>.<position>`; undefined: no cursor of a search. */
export function searchCursor(text: string): AuditCursor | undefined {
  const [, at, position] = /^(\d{1,16})\.(\d{1,18})$/.exec(text) ?? [];
  return at === undefined || position === undefined
    ? undefined
    : { at: Number(at), position: BigInt(position) };
}

export const searchCursorText = ({ at, position }: AuditCursor): string => `${at}.${position}`;

/** `<position>.<event id>`, or `0` before the first event; undefined: no cursor of a follower. */
export function followCursor(text: string): FollowCursor | 'none' | undefined {
  if (text === '0') return 'none';
  const [, position, eventId] =
    /^(\d{1,18})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ?? [];
  return position === undefined || eventId === undefined
    ? undefined
    : { position: BigInt(position), eventId };
}

export const followCursorText = (cursor: FollowCursor | 'none'): string =>
  cursor === 'none' ? '0' : `${cursor.position}.${cursor.eventId}`;
