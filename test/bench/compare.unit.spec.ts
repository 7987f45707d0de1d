import { describe, expect, it } from '@jest/globals';
import { compare, flat } from '../../bench/compare.js';

const compared = (before: object, now: object) => compare(flat(before), flat(now));

describe('the comparison of two runs', () => {
  it('says how many times dearer each item is, by its path', () => {
    const before = { '16': { post: { cpuMs: 2, ratio: 0.5 }, like: { cpuMs: 3, ratio: 0.4 } } };
    const now = { '16': { post: { cpuMs: 3, ratio: 0.3 }, like: { cpuMs: 3, ratio: 0.4 } } };
    expect(compared(before, now)).toEqual({
      '16.post.cpuMs': { before: 2, now: 3, times: 1.5 },
      '16.post.ratio': { before: 0.5, now: 0.3, times: 0.6 },
      '16.like.cpuMs': { before: 3, now: 3, times: 1 },
      '16.like.ratio': { before: 0.4, now: 0.4, times: 1 },
    });
  });

  it('leaves out what is no CPU and no share of a floor', () => {
    const run = { post: { perSecond: 400, p99Ms: 20, cpuMsOf: { api: 1 } }, rebuildRatio: 0.4 };
    expect(Object.keys(compared(run, run))).toEqual(['rebuildRatio']);
  });

  it.each([
    ['was not measured before', {}, { post: { cpuMs: 2 } }],
    ['is not measured now', { post: { cpuMs: 2 } }, {}],
    ['was no number', { post: { cpuMs: null } }, { post: { cpuMs: 2 } }],
    ['was not measurable, which the file keeps as null', { post: { cpuMs: 2 } }, { post: { cpuMs: null } }],
    ['cost nothing before', { post: { cpuMs: 0 } }, { post: { cpuMs: 2 } }],
  ])('leaves out an item that %s', (_why, before, now) => {
    expect(compared(before, now)).toEqual({});
  });
});
