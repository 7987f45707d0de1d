import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../refusal.js';
import { isOwnName, operatorNameKey } from './name.js';
import { reserveName } from './name-reservation.js';
import type { NameHolder } from './name-reservation.js';

describe('the key of a name', () => {
  it.each([
    ['Ana L.', 'ANA  l.'],
    ['Ana L.', '\uFF21na\u00A0L.'],
    ['Ana', 'An\uFE0Fa'],
    ['Straße', 'STRASSE'],
    ['ΟΔΟΣ', 'οδος'],
    ['Å', 'A\u030A'],
    ['ﬁn', 'FIN'],
  ])('is the same of %s and %s', (one, other) => {
    expect(operatorNameKey(one)).toBe(operatorNameKey(other));
  });

  it('tells other names apart', () => {
    expect(new Set(['Ana', 'Anna', 'Ana L', 'Aná'].map(operatorNameKey)).size).toBe(4);
    expect(['Shared Token', 'offline', 'Ana'].map(isOwnName)).toEqual([true, true, false]);
  });
});

describe('a reservation of a name', () => {
  const invite = { operatorId: 'new', revision: -1, mayFinish: false, at: 1 };
  const reserved = [{ type: 'operator.name_reserved', data: { operatorId: 'new', revision: -1, at: 1 } }];
  const held = { operatorId: 'ana', revision: 3, at: 1 };
  const DAY_MS = 86_400_000;
  const holder = (revision: number, status: NameHolder['status']): NameHolder => ({ revision, status });

  it('is made of a free name, and once', () => {
    expect(reserveName(undefined, holder(-1, 'none'), invite)).toEqual(reserved);
    const own = { operatorId: 'new', revision: -1, at: 1 };
    expect(reserveName(own, holder(-1, 'none'), invite)).toEqual([]);
    // Before it lapses: another one could reserve the name while the invitation follows.
    expect(reserveName(own, holder(-1, 'none'), { ...invite, at: DAY_MS - 1 })).toHaveLength(1);
  });

  it('is made anew for each revision of the same operator', () => {
    const again = { operatorId: 'ana', revision: 5, mayFinish: false, at: 1 };
    expect(reserveName(held, holder(5, 'suspended'), again)).toMatchObject([{ data: { revision: 5 } }]);
  });

  it('passes from an operator whose next event took place, and who is suspended', () => {
    expect(reserveName(held, holder(4, 'suspended'), invite)).toEqual(reserved);
    expect(reserveName(held, holder(4, 'none'), invite)).toEqual(reserved);
  });

  it.each([
    ['is active', holder(4, 'active')],
    ['is invited', holder(4, 'invited')],
    ['may be reinstated yet, since their stream is as the reservation found it', holder(3, 'suspended')],
  ])('is refused while its holder %s', (_what, now) => {
    expect(reserveName(held, now, invite)).toBeInstanceOf(Refusal);
    expect(reserveName(held, now, { ...invite, mayFinish: true })).toBeInstanceOf(Refusal);
  });

  it('of an invitation that never came to its end is finished by a new one, under the same id', () => {
    const open = { operatorId: 'ana', revision: -1, at: 1 };
    expect(reserveName(open, holder(-1, 'none'), { ...invite, mayFinish: true, at: 2 })).toMatchObject([
      { data: { operatorId: 'ana', at: 2 } },
    ]);
    expect(reserveName(open, holder(-1, 'none'), invite)).toBeInstanceOf(Refusal);
  });

  it.each([
    ['invitation', { operatorId: 'ana', revision: -1, at: 1 }, holder(-1, 'none')],
    ['reinstatement', held, holder(3, 'suspended')],
  ])('lapses after a day in which its %s did not follow', (_what, open, now) => {
    const later = { ...invite, at: 1 + DAY_MS };
    expect(reserveName(open, now, { ...later, at: DAY_MS })).toBeInstanceOf(Refusal);
    expect(reserveName(open, now, later)).toMatchObject([{ data: { operatorId: 'new', at: later.at } }]);
  });
});
