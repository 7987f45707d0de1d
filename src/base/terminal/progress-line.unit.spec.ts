import { describe, expect, it } from '@jest/globals';
import { ProgressLine } from './progress-line.js';

function given(isTTY: boolean) {
  const written: string[] = [];
  let now = 0;
  const progress = new ProgressLine(String, { isTTY, write: (text) => written.push(text) }, () => now);
  return {
    progress,
    text: () => written.join(''),
    lines: () => written.map((line) => JSON.parse(line)),
    pass: (ms: number) => (now += ms),
  };
}

const waiting = { what: 'waiting', done: 0, total: null };
const building = (done: number) => ({ what: 'building', done, total: 100 });

describe('progress without a terminal', () => {
  it('is one line for a step that is seen once or does not advance', () => {
    const { progress, lines } = given(false);
    progress.show(waiting);
    progress.show(waiting);
    progress.show({ ...building(40), rate: 20 });
    progress.show({ ...building(40), rate: 10 });
    progress.show({ what: 'published', done: 100, total: 100 });
    progress.done();
    expect(lines()).toEqual([
      { ...waiting, rate: 0, secondsLeft: null },
      { ...building(40), rate: 20, secondsLeft: 3 },
      { what: 'published', done: 100, total: 100, rate: 0, secondsLeft: 0 },
    ]);
  });

  it('is a line a second, and one for the end of each step', () => {
    const { progress, lines, pass } = given(false);
    for (const done of [0, 10, 20, 30, 40, 50]) {
      progress.show(building(done));
      pass(400);
    }
    progress.show(waiting);
    pass(1_000);
    progress.show(waiting);
    progress.done();
    expect(lines()).toEqual([
      { ...building(0), rate: 0, secondsLeft: null },
      { ...building(30), rate: 25, secondsLeft: 3 },
      { ...building(50), rate: 21, secondsLeft: 3 },
      { ...waiting, rate: 0, secondsLeft: null },
      { ...waiting, rate: 0, secondsLeft: null },
    ]);
  });
});

describe('progress on a terminal', () => {
  it('is one line for each step, which is overwritten', () => {
    const { progress, text, pass } = given(true);
    progress.show(waiting);
    progress.show(building(0));
    pass(1_000);
    progress.show(building(50));
    pass(100);
    progress.show(building(100));
    progress.done();
    expect(text().replaceAll('\r\u001B[K', '<')).toBe(
      '<waiting: 0\n<building: 0 of 100<building: 50 of 100, 50/s, 1 s left<building: 100 of 100, 91/s, 0 s left\n',
    );
  });
});
