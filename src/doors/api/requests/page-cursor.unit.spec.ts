import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { PageCursors } from './page-cursor.js';
import type { CursorContext } from './page-cursor.js';

const cursors = new PageCursors(randomBytes(32));
const paged = { operation: 'replies of p1', actorId: 'alice', incarnation: 'i1' };
const cursor = cursors.encode(paged, [1_234n, 5n]);

const proven = (given: string, { arity = 2, of = paged }: { arity?: number; of?: CursorContext } = {}) =>
  cursors.verify(of, given, cursors.decode(given, arity));
const REFUSED = 'cursor must be the cursor of the previous page';

describe('a page cursor', () => {
  it('continues after the last row of its page', () => {
    expect(cursors.decode(cursor, 2)).toEqual([1_234n, 5n]);
    expect(() => proven(cursor)).not.toThrow();
  });

  it('of an earlier release is accepted, and made anew it is the same', () => {
    const shared = new PageCursors(Buffer.alloc(32, 7));
    const earlier = 'WKM7DuJXpr5XtzL4qEXhVjEyMzQuNQ';
    expect(shared.encode(paged, [1_234n, 5n])).toBe(earlier);
    expect(() => shared.verify(paged, earlier, shared.decode(earlier, 2))).not.toThrow();
  });

  it.each([
    ['another operation', { ...paged, operation: 'replies of p2' }],
    ['another actor', { ...paged, actorId: 'bob' }],
    ['nobody', { ...paged, actorId: undefined }],
    ['another incarnation', { ...paged, incarnation: 'i2' }],
  ])('is refused for %s', (_name, other) => {
    expect(() => proven(cursor, { of: other })).toThrow(REFUSED);
  });

  it.each([1, 3])('is refused if its key has %d numbers [error-page-cursor, relations-query]', (arity) => {
    expect(() => proven(cursor, { arity })).toThrow(REFUSED);
  });

  it('is refused in another spelling', () => {
    for (const other of [`${cursor}=`, ` ${cursor}`, `${cursor}!`])
      expect(() => proven(other)).toThrow(REFUSED);
  });

  it('is refused without a read if a number is too large for a key', () => {
    const tooLarge = cursors.encode(paged, [9_999_999_999_999_999_999n, 5n]);
    expect(cursors.decode(tooLarge, 2)).toBeUndefined();
    expect(() => proven(tooLarge)).toThrow(REFUSED);
  });

  it('is refused once any bit of it is changed', () => {
    const bytes = Buffer.from(cursor, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      expect(() => proven(altered.toString('base64url'))).toThrow(REFUSED);
    }
  });

  it('is refused if truncated, made by another network, or missing', () => {
    const foreign = new PageCursors(randomBytes(32)).encode(paged, [1_234n, 5n]);
    for (const none of ['', 'abc', '1234', cursor.slice(0, 10), foreign])
      expect(() => proven(none)).toThrow(REFUSED);
  });
});
