import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../refusal.js';
import { endLink, evolveLinks, makeLink, noLinks, openLink, useLink } from './recovery-link.js';
import type { OperatorLinks, RecoveryLinkEvent } from './recovery-link.js';

const HOUR_MS = 60 * 60_000;
const [actorId, linkId] = ['ada', 'link'];

const after = (decided: readonly RecoveryLinkEvent[] | Refusal, links: OperatorLinks = noLinks) => {
  if (decided instanceof Refusal) throw decided;
  return decided.reduce(evolveLinks, links);
};

const made = after(makeLink(noLinks, { actorId, linkId, at: 0 }, undefined));
const data = (hours: number) => ({ actorId, linkId, at: hours * HOUR_MS });

describe('a link of operators', () => {
  it('works from 24 hours later, and for 24 hours', () => {
    const works = (hours: number) => Array.isArray(useLink(made, data(hours)));
    expect([0, 23.9, 24, 47.9, 48, 72].map(works)).toEqual([false, false, true, true, false, false]);
  });

  it('works once', () => {
    const used = after(useLink(made, data(30)), made);
    expect(useLink(used, data(30))).toBeInstanceOf(Refusal);
    expect(endLink(used, data(31))).toEqual([]);
    expect(used).toMatchObject([{ outcome: 'used' }]);
  });

  it('can be ended before, once, and works no more', () => {
    const ended = after(endLink(made, { actorId, at: HOUR_MS }), made);
    expect(ended).toMatchObject([{ linkId, outcome: 'ended' }]);
    expect(useLink(ended, data(30))).toBeInstanceOf(Refusal);
    expect(endLink(ended, data(2))).toEqual([]);
    expect(endLink(made, { actorId, linkId: 'another', at: HOUR_MS })).toEqual([]);
    expect(endLink(noLinks, data(1))).toEqual([]);
  });

  it('is the only open one of its person', () => {
    const again = (hours: number, works?: string) =>
      makeLink(made, { ...data(hours), linkId: 'second' }, works);
    expect(again(47, linkId)).toBeInstanceOf(Refusal);
    const types = [...(again(47) as readonly RecoveryLinkEvent[])].map(({ type }) => type);
    expect(types).toEqual(['account.recovery_link_ended', 'account.recovery_link_made']);
    const both = after(again(48), made);
    expect(openLink(both, 49 * HOUR_MS)).toMatchObject({ linkId: 'second' });
    expect(both).toHaveLength(2);
  });
});
