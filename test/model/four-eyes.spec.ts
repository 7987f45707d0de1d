/** The rules of four-eyes, enumerated: what one identity can do alone, and that there always is a way for several. */
import { describe, expect, it } from '@jest/globals';
import type { OperatorEvent } from '../../src/domain/operator/operator.js';
import type { Role } from '../../src/domain/operator/roles.js';
import { SHARED_TOKEN } from '../../src/domain/operator/roles.js';
import { ALLOWED, established, isActive, MIN_AGE, operatorIn, perform } from './four-eyes-model.js';
import type { Effect, ModelAct, ModelState } from './four-eyes-model.js';

const TURNED_ON = 100;

const joined = (operatorId: string, roles: readonly Role[], ...more: OperatorEvent[]) => {
  const invitation = {
    name: operatorId,
    roles,
    invitationHash: '',
    expiresAt: Infinity,
    needsConfirmation: false,
  };
  const events: OperatorEvent[] = [
    { type: 'operator.invited', data: { operatorId, ...invitation, at: 1 } },
    { type: 'operator.enrolled', data: { operatorId, at: TURNED_ON } },
    ...more,
  ];
  return [operatorId, events.map((event) => [event, false] as const)] as const;
};

const suspended = (operatorId: string): OperatorEvent => ({
  type: 'operator.suspended',
  data: { operatorId, at: TURNED_ON },
});

/** An invitation from before four-eyes was on that nobody has used: whoever made it has its code. */
const unused = (operatorId: string, roles: readonly Role[]) => {
  const [, [invited]] = joined(operatorId, roles);
  return [operatorId, invited ? [invited] : []] as const;
};

const stateWith = (
  administrators: number,
  {
    now = TURNED_ON + 100,
    without = [],
  }: { readonly now?: number; readonly without?: readonly string[] } = {},
): ModelState => ({
  now,
  fourEyes: [{ type: 'operator.four_eyes_required', data: { batchItems: ALLOWED, at: TURNED_ON } }],
  operators: Object.fromEntries([
    ...Array.from({ length: administrators }, (_, n) =>
      joined(
        `admin-${n}`,
        ['administrator'],
        ...(without.includes(`admin-${n}`) ? [suspended(`admin-${n}`)] : []),
      ),
    ),
    joined('moderator', ['moderator']),
    joined('both', ['administrator', 'moderator'], suspended('both')),
    unused('unused', ['administrator', 'moderator']),
  ]),
  lost: [],
  requests: {},
  allowances: {},
  effects: [],
});

const states: readonly (readonly [string, ModelState])[] = [
  ['no administrator', stateWith(0)],
  ['one administrator', stateWith(1)],
  ['two administrators', stateWith(2)],
  ['three administrators', stateWith(3)],
  ['two administrators on day 0', stateWith(2, { now: TURNED_ON + 1 })],
  ['two administrators of whom one is suspended', stateWith(2, { without: ['admin-1'] })],
  ['two administrators of whom one lost every device', { ...stateWith(2), lost: ['admin-1'] }],
];

/** Acts with a covered effect, as several people do them. */
const covered: readonly ModelAct[] = [
  { act: 'account.erase' },
  { act: 'recovery.apply' },
  { act: 'four_eyes.turn_on', batchItems: ALLOWED + 1 },
  { act: 'batch.request', count: ALLOWED + 1 },
  { act: 'operator.invite', roles: ['moderator'] },
  { act: 'operator.invite', roles: ['administrator', 'moderator'] },
  { act: 'operator.change_roles', of: 'moderator', roles: ['administrator', 'moderator', 'auditor'] },
  { act: 'operator.reinstate', of: 'both' },
  { act: 'operator.confirm', of: 'unused' },
  { act: 'four_eyes.turn_off' },
];

const chosenRoles: readonly (readonly Role[])[] = [['viewer'], ['administrator', 'moderator', 'auditor']];

/** Everything that one identity might try next. */
function everything({ state, held }: Situation): readonly (readonly [string, ModelAct])[] {
  const all = Object.keys(state.operators);
  const acts: ModelAct[] = [
    ...covered.filter(({ act }) => !act.startsWith('operator.') || act === 'operator.invite'),
    { act: 'post.restrict', count: 1 },
    { act: 'account.suspend', count: 1 },
    ...all.flatMap((of): ModelAct[] => [
      { act: 'operator.suspend', of },
      { act: 'operator.reinstate', of },
      { act: 'operator.confirm', of },
      ...chosenRoles.map((roles) => ({ act: 'operator.change_roles', of, roles }) as const),
    ]),
    ...Object.keys(state.requests).flatMap((of): ModelAct[] => [
      { act: 'approval.give', of },
      { act: 'approval.carry_out', of },
    ]),
  ];
  const enrollments = all
    .filter((of) => operatorIn(state, of).status === 'invited')
    .map((of): readonly [string, ModelAct] => [of, { act: 'operator.enroll', of }]);
  return [...held.flatMap((by) => acts.map((asked) => [by, asked] as const)), ...enrollments];
}

/** Isolates oneself, and makes of an unused invitation a second person. */
const towardsAnAccomplice: Attempts = ({ state, held }) => {
  const others = established(state, 'administrator').filter((id) => !held.includes(id));
  const by = held.flatMap((id) => [
    ...others.map((of) => [id, { act: 'operator.suspend', of }] as const),
    [id, { act: 'operator.confirm', of: 'unused' }] as const,
    [id, { act: 'account.erase' }] as const,
    ...Object.keys(state.requests).flatMap((of) => [
      [id, { act: 'approval.give', of }] as const,
      [id, { act: 'approval.carry_out', of }] as const,
    ]),
  ]);
  // One wait, and one request of each identity, are as good as many.
  const isEarly = state.now < TURNED_ON + 100 + MIN_AGE;
  const asked = new Set(Object.values(state.requests).map(({ approval }) => approval.request?.operatorId));
  return [
    ['unused', { act: 'operator.enroll', of: 'unused' }] as const,
    ...(isEarly ? [['', 'wait'] as const] : []),
    ...by.filter(([id, { act }]) => act !== 'account.erase' || !asked.has(id)),
  ];
};

interface Situation {
  readonly state: ModelState;
  /** Identities of the one who acts. */
  readonly held: readonly string[];
}

type Attempts = (situation: Situation) => readonly (readonly [string, ModelAct | 'wait'])[];

/** All situations after up to so many acts of whoever holds these identities, and those that they make. */
function reachable(start: Situation, acts: number, attemptsIn: Attempts): readonly Situation[] {
  const seen = new Map([[JSON.stringify(start), start]]);
  let newest = [start];
  for (let n = 0; n < acts; n++) {
    const next: Situation[] = [];
    for (const situation of newest)
      for (const [by, asked] of attemptsIn(situation)) {
        const state =
          asked === 'wait'
            ? { ...situation.state, now: situation.state.now + MIN_AGE }
            : perform(situation.state, by, asked);
        const isNew =
          asked !== 'wait' && asked.act === 'operator.enroll' && !situation.held.includes(asked.of);
        const found = { state, held: isNew ? [...situation.held, asked.of] : situation.held };
        const key = JSON.stringify(found);
        if (seen.has(key)) continue;
        seen.set(key, found);
        next.push(found);
      }
    newest = next;
  }
  return [...seen.values()];
}

/** Situations in which whoever began with this identity alone had a covered effect. */
const breachesBy = (start: ModelState, by: string, situations: readonly Situation[]): readonly Situation[] =>
  situations.filter(
    ({ state: { effects, allowances } }) =>
      effects.some((effect) => !isStatedLimit(start, by, effect)) ||
      Object.values(allowances).flat().length > ALLOWED,
  );

const isStatedLimit = (start: ModelState, by: string, { act, by: doer }: Effect): boolean =>
  by === SHARED_TOKEN &&
  doer === SHARED_TOKEN &&
  established(start, 'administrator').length < 2 &&
  (act === 'operator.invite' || act === 'recovery.apply');

describe.each(states)('with %s', (_name, start) => {
  const identities = [SHARED_TOKEN, ...Object.keys(start.operators).filter((id) => isActive(start, id))];

  it.each(identities)('%s alone has no covered effect in any three acts, now or after the wait', (by) => {
    const found = [start.now, start.now + MIN_AGE].flatMap((now) =>
      reachable({ state: { ...start, now }, held: [by] }, 3, everything),
    );
    expect(breachesBy(start, by, found)).toEqual([]);
  });

  it.each(covered)('several have a way to $act without the owner of the machine', (asked) => {
    let state = withTwoAdministrators(start);
    const [first = '', second = ''] = established(state, 'administrator');
    const approved = (by: string, approver: string, act: ModelAct): ModelState => {
      const requested = perform(state, by, act);
      const of = Object.keys(requested.requests).at(-1) ?? '';
      return perform(perform(requested, approver, { act: 'approval.give', of }), by, {
        act: 'approval.carry_out',
        of,
      });
    };
    if (asked.act === 'batch.request')
      for (const [of, by, approver] of [
        [first, first, second],
        [second, second, first],
      ] as const)
        state = approved(by, approver, {
          act: 'operator.change_roles',
          of,
          roles: ['administrator', 'moderator'],
        });
    if (asked.act === 'operator.confirm')
      state = perform(state, 'unused', { act: 'operator.enroll', of: 'unused' });
    expect(approved(first, second, asked).effects.at(-1)).toEqual({
      act: asked.act,
      by: first,
      approver: second,
    });
  });
});

/** By the emergency path, if fewer are left. */
function withTwoAdministrators(start: ModelState): ModelState {
  let state = start;
  const inEmergency = (): string => {
    state = perform(state, SHARED_TOKEN, { act: 'operator.invite', roles: ['administrator'] });
    const of = Object.keys(state.operators).at(-1) ?? '';
    state = perform(state, of, { act: 'operator.enroll', of });
    return of;
  };
  const left = established(start, 'administrator');
  if (left.length >= 2) return start;
  const invited = left.length === 1 ? [inEmergency()] : [inEmergency(), inEmergency()];
  for (const of of invited) {
    const by = left[0] ?? invited.find((other) => other !== of) ?? '';
    state = perform(state, by, { act: 'operator.confirm', of });
  }
  expect(established(state, 'administrator')).toHaveLength(left.length);
  return { ...state, now: state.now + MIN_AGE };
}

it('one of two administrators makes nobody who approves their acts, in any eight steps', () => {
  const start = stateWith(2);
  const found = reachable({ state: start, held: ['admin-0'] }, 8, towardsAnAccomplice);
  expect(found.some(({ state, held }) => held.includes('unused') && !isActive(state, 'admin-1'))).toBe(true);
  expect(breachesBy(start, 'admin-0', found)).toEqual([]);
});
