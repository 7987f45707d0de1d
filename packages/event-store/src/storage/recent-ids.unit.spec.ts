import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { RecentIds } from './recent-ids.js';

describe('the recent ids', () => {
  it('find the latest ids and forget older ones, round after round', () => {
    const capacity = 64;
    const recent = new RecentIds(capacity);
    const ids = Array.from({ length: 1000 }, () => randomUUID());
    const wrong: string[] = [];
    for (const [ordinal, id] of ids.entries()) {
      recent.push(Buffer.from(`--${id}`), 2);
      const kept = Math.max(0, ordinal - capacity + 1);
      if (recent.find(id) !== ordinal) wrong.push(`latest, ${ordinal}`);
      if (recent.find(ids[kept]!) !== kept) wrong.push(`oldest kept, at ${ordinal}`);
      if (kept > 0 && recent.find(ids[kept - 1]!) !== undefined) wrong.push(`forgotten, at ${ordinal}`);
    }
    expect(wrong).toEqual([]);
    expect(ids.slice(-capacity).map((id) => recent.find(id))).toEqual(
      Array.from({ length: capacity }, (_, i) => 1000 - capacity + i),
    );
  });

  it('find the last of several events with one id, until it is evicted', () => {
    const recent = new RecentIds(4);
    const twice = randomUUID();
    for (const id of [twice, randomUUID(), twice]) recent.push(Buffer.from(id), 0);
    expect(recent.find(twice)).toBe(2);
    for (let i = 0; i < 3; i++) recent.push(Buffer.from(randomUUID()), 0);
    expect(recent.find(twice)).toBe(2);
    recent.push(Buffer.from(randomUUID()), 0);
    expect(recent.find(twice)).toBeUndefined();
  });
});
