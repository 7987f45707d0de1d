import { describe, expect, it } from '@jest/globals';
import { FEWEST_PEOPLE, GUEST, MOST_PEOPLE, planTown, SPAMMER } from './plan.js';

describe.each([FEWEST_PEOPLE, 40, MOST_PEOPLE])('a town of %i', (size) => {
  const { people, follows, threads, newest } = planTown(size);
  const posts = threads.flat();

  it('has people whose handles, names and bios a network takes, each once', () => {
    expect(people).toHaveLength(size);
    expect(new Set(people.map(({ handle }) => handle)).size).toBe(size);
    for (const { handle, displayName, bio } of people) {
      expect(handle).toMatch(/^[a-z0-9_]{3,30}$/);
      expect(displayName).toMatch(/^.{1,64}$/u);
      expect(bio).toMatch(/^.{1,160}$/u);
    }
  });

  it('lets everybody begin a thread, and mentions nobody who is not there', () => {
    expect(threads.map(([root]) => root?.by)).toEqual(people.map((_, index) => index));
    const mentioned = posts.flatMap(({ text }) => [...text.matchAll(/@(\w+)/g)].map(([, handle]) => handle));
    for (const handle of mentioned) expect(people.map((each) => each.handle)).toContain(handle);
    expect(new Set(posts.map(({ text }) => text)).size).toBe(posts.length);
  });

  it('has no person who follows or likes themselves, or one twice, and nobody who heeds the spammer', () => {
    const pairs = [
      ...follows.map(({ from, to }) => [from, to] as const),
      ...threads.flatMap((thread, at) =>
        thread.flatMap(({ by, likedBy }, index) => {
          expect(likedBy).not.toContain(by);
          return likedBy.map((from) => [from, `${at}/${index}`] as const);
        }),
      ),
    ];
    expect(new Set(pairs.map(String)).size).toBe(pairs.length);
    for (const { from, to } of follows) expect(to).not.toBe(from);
    expect(follows.filter(({ from, to }) => from === SPAMMER || to === SPAMMER)).toEqual([]);
    expect(threads[SPAMMER]).toMatchObject([{ likedBy: [] }]);
    expect(posts.filter(({ by }) => by === SPAMMER)).toHaveLength(1);
  });

  it('begins the newest threads by people whom the guest follows, and they answer nobody there', () => {
    const followed = follows.flatMap(({ from, to }) => (from === GUEST ? [to] : []));
    expect(newest.length).toBeGreaterThan(2);
    for (const at of newest) {
      expect(followed).toContain(at);
      for (const { by } of threads[at]?.slice(1) ?? []) expect(followed).not.toContain(by);
    }
  });

  it('gives its guest followers, and answers from others than the guest', () => {
    expect(follows.some(({ to }) => to === GUEST)).toBe(true);
    expect(threads[GUEST]?.some(({ by }) => by !== GUEST)).toBe(true);
  });

  it('is the same each time', () => {
    expect(planTown(size)).toEqual({ people, follows, threads, newest });
  });
});
