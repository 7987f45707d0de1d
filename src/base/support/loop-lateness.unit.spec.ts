import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { LoopLateness } from './loop-lateness.js';

let lateness: LoopLateness;

beforeEach(() => {
  lateness = new LoopLateness();
});

afterEach(() => lateness.end());

function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

it('is no lateness to wait', async () => {
  const start = lateness.now();
  await wait(1_000);
  expect(lateness.wasMostlyLate(start)).toBe(false);
});

it('counts the time that is blocked, in turns and since the last one', async () => {
  const start = lateness.now();
  for (let turn = 0; turn < 3; turn += 1) {
    block(400);
    await immediate();
  }
  expect(lateness.wasMostlyLate(start)).toBe(true);
  const unfinished = lateness.now();
  block(400);
  expect(lateness.wasMostlyLate(unfinished)).toBe(true);
});

it.each([10, 150])('is no lateness to be busy in turns of %s ms', async (milliseconds) => {
  const start = lateness.now();
  while (performance.now() < start.at + 1_000) {
    block(milliseconds);
    await wait(0);
  }
  expect(lateness.wasMostlyLate(start)).toBe(false);
});
