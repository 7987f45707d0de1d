import { describe, expect, it } from '@jest/globals';
import type { OperatorEvent } from '../operator/operator.js';
import { establishedFrom, evolveOrigin, lacksConfirmation, noOrigin } from './standing.js';

const operatorId = 'o';
const SINCE = 1_000;
const AGE = 500;

/** An event, and if another operator approved its act. */
type Step = readonly [OperatorEvent, boolean?];

const invited = (needsConfirmation: boolean): OperatorEvent => ({
  type: 'operator.invited',
  data: {
    operatorId,
    name: 'O',
    roles: ['administrator'],
    invitationHash: 'h',
    expiresAt: 9_000,
    needsConfirmation,
    at: 1,
  },
});
const enrolled = (at: number): OperatorEvent => ({ type: 'operator.enrolled', data: { operatorId, at } });
const confirmed = (at: number): OperatorEvent => ({ type: 'operator.confirmed', data: { operatorId, at } });

const originOf = (steps: readonly Step[]) =>
  steps.reduce((origin, [event, isApproved = false]) => evolveOrigin(origin, event, isApproved), noOrigin);

const before = SINCE;
const after = SINCE + 1;

describe('an operator counts as a person of their own', () => {
  it.each<readonly [string, readonly Step[], number | undefined]>([
    [
      'at once, if enrolled when four-eyes was turned on, whoever invited them',
      [[invited(false)], [enrolled(before)]],
      before,
    ],
    [
      'at once, if another operator approved the invitation',
      [[invited(false), true], [enrolled(after)]],
      after,
    ],
    [
      'not with an invitation from before that was used after',
      [[invited(false)], [enrolled(after)]],
      undefined,
    ],
    ['not if the limited shared token invited them', [[invited(true)], [enrolled(after)]], undefined],
    [
      'not if nobody had confirmed them when it was turned on',
      [[invited(true)], [enrolled(before)]],
      undefined,
    ],
    [
      'at once, if they were confirmed when it was turned on',
      [[invited(true)], [enrolled(before)], [confirmed(before)]],
      before,
    ],
    [
      'at an age, if one person confirmed them after that',
      [[invited(true)], [enrolled(before)], [confirmed(after)]],
      before + AGE,
    ],
    [
      'at an age, if one person confirmed them',
      [[invited(true)], [enrolled(after)], [confirmed(after)]],
      after + AGE,
    ],
    [
      'at an age, however often one person alone confirms',
      [[invited(true)], [enrolled(after)], [confirmed(after)], [confirmed(after)]],
      after + AGE,
    ],
    ['at once, if two confirmed them', [[invited(true)], [enrolled(after)], [confirmed(after), true]], after],
    [
      'at once, if two confirmed them after one had',
      [[invited(true)], [enrolled(after)], [confirmed(after)], [confirmed(after), true]],
      after,
    ],
    [
      'not before they are enrolled',
      [
        [invited(false), true],
        [confirmed(after), true],
      ],
      undefined,
    ],
  ])('%s', (_when, steps, from) => {
    expect(establishedFrom(originOf(steps), SINCE, AGE)).toBe(from);
  });

  it('while four-eyes is off, unless the limited shared token invited them and nobody confirmed it', () => {
    const from = (...steps: Step[]) => establishedFrom(originOf(steps), Infinity, AGE);
    expect(from([invited(false)], [enrolled(after)])).toBe(after);
    expect(from([invited(true)], [enrolled(after)])).toBeUndefined();
    expect(from([invited(true)], [enrolled(after)], [confirmed(after)])).toBe(after);
  });
});

describe('a confirmation', () => {
  const lacks = (since: number, isApproved: boolean, ...steps: Step[]) =>
    lacksConfirmation(originOf(steps), since, isApproved);

  it('is lacking of whom the shared token invited, by one once and then by two', () => {
    const joined: Step[] = [[invited(true)], [enrolled(after)]];
    expect(lacks(SINCE, false, ...joined)).toBe(true);
    expect(lacks(SINCE, false, ...joined, [confirmed(after)])).toBe(false);
    expect(lacks(SINCE, true, ...joined, [confirmed(after)])).toBe(true);
    expect(lacks(SINCE, true, ...joined, [confirmed(after), true])).toBe(false);
  });

  it('is lacking by two of whoever used an invitation from before', () => {
    const joined: Step[] = [[invited(false)], [enrolled(after)]];
    expect(lacks(SINCE, false, ...joined)).toBe(false);
    expect(lacks(SINCE, true, ...joined)).toBe(true);
    expect(establishedFrom(originOf([...joined, [confirmed(after)]]), SINCE, AGE)).toBeUndefined();
    expect(establishedFrom(originOf([...joined, [confirmed(after), true]]), SINCE, AGE)).toBe(after);
  });

  it('is not lacking of whoever was there, or was invited by two', () => {
    expect(lacks(SINCE, true, [invited(false)], [enrolled(before)])).toBe(false);
    expect(lacks(SINCE, true, [invited(false), true])).toBe(false);
  });

  it('is lacking while four-eyes is off only of whom the limited shared token invited, once', () => {
    expect(lacks(Infinity, false, [invited(false)])).toBe(false);
    expect(lacks(Infinity, false, [invited(true)])).toBe(true);
    expect(lacks(Infinity, false, [invited(true)], [confirmed(1)], [enrolled(2)])).toBe(false);
    expect(lacks(Infinity, false, [invited(true)], [confirmed(1)])).toBe(false);
  });
});
