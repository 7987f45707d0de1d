import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../refusal.js';
import { changeFactors, MAX_PASSKEYS, needsStepAfterRecovery, noFactors, withUse } from './factors.js';
import type { Factors, FactorsChange, Passkey } from './factors.js';

const passkey = (id: string, more: Partial<Passkey> = {}): Passkey => ({
  id,
  publicKey: 'key',
  transports: ['internal'],
  signCount: 0,
  name: id,
  addedAt: 1,
  ...more,
});
const one: Factors = { passkeys: [passkey('phone')] };
const strict: Factors = { ...one, codes: ['a', 'b'] };
const add = (more: Partial<Passkey> = {}): FactorsChange => ({
  kind: 'passkey_added',
  passkey: passkey('key', more),
});
const codes = ['c', 'd'];

const NOW = 8 * 24 * 60 * 60_000;
const after = (factors: Factors, change: FactorsChange): Factors => {
  const changed = changeFactors(factors, change, NOW);
  if (changed instanceof Refusal) throw changed;
  return changed;
};

describe('the factors of a person', () => {
  it('get passkeys, with names in one form', () => {
    const { passkeys } = after(one, add({ name: ' My key ' }));
    expect(passkeys.map(({ id, name }) => [id, name])).toEqual([
      ['phone', 'phone'],
      ['key', 'My key'],
    ]);
  });

  it('lose one passkey, and keep the codes', () => {
    const two = after(strict, add());
    expect(after(two, { kind: 'passkey_removed', id: 'phone' })).toEqual({
      passkeys: [passkey('key')],
      codes: ['a', 'b'],
    });
  });

  it('require a second step, with new codes each time, until it is lifted', () => {
    const required = after(one, { kind: 'second_step_required', codes });
    expect(required).toEqual({ ...one, codes, requiredAt: NOW });
    expect(after({ ...strict, requiredAt: 1 }, { kind: 'second_step_required', codes })).toEqual({
      ...one,
      codes,
      requiredAt: 1,
    });
    expect(after(strict, { kind: 'second_step_required', codes })).toEqual({ ...one, codes });
    expect(after(required, { kind: 'second_step_lifted' })).toEqual(one);
  });

  it('need no second step after a recovery that was turned on in the seven days before', () => {
    const needs = (factors: Factors) => needsStepAfterRecovery(factors, NOW);
    const day = NOW / 8;
    expect([needs(one), needs(strict)]).toEqual([false, true]);
    expect([day, day + 1].map((requiredAt) => needs({ ...strict, requiredAt }))).toEqual([true, false]);
  });

  it('use up a code', () => {
    const used: FactorsChange = { kind: 'recovery_code_used', code: 'a' };
    expect(after(strict, used)).toEqual({ ...one, codes: ['b'] });
    expect(changeFactors(after(strict, used), used, NOW)).toBeInstanceOf(Refusal);
  });

  const full: Factors = { passkeys: Array.from({ length: MAX_PASSKEYS }, (_, n) => passkey(`p${n}`)) };
  it.each<[string, Factors, FactorsChange]>([
    ['too many passkeys', full, add()],
    ['a passkey twice', one, { kind: 'passkey_added', passkey: passkey('phone') }],
    ['a passkey without a visible name', noFactors, add({ name: '\u2800' })],
    ['a large key', noFactors, add({ publicKey: 'k'.repeat(1_001) })],
    ['the removal of an unknown passkey', one, { kind: 'passkey_removed', id: 'key' }],
    ['the removal of the last passkey of a second step', strict, { kind: 'passkey_removed', id: 'phone' }],
    ['a second step without a passkey', noFactors, { kind: 'second_step_required', codes }],
    ['the end of no second step', one, { kind: 'second_step_lifted' }],
    ['a wrong code', strict, { kind: 'recovery_code_used', code: 'c' }],
    ['a code without a second step', one, { kind: 'recovery_code_used', code: 'a' }],
  ])('refuse %s', (_name, factors, change) => {
    expect(changeFactors(factors, change, NOW)).toBeInstanceOf(Refusal);
  });

  it('remember the last use of a passkey that is still there', () => {
    const use = { signCount: 7, usedOn: '2026-11-29' };
    expect(withUse(strict, { id: 'phone', ...use })).toEqual({
      passkeys: [passkey('phone', use)],
      codes: ['a', 'b'],
    });
    expect(withUse(strict, { id: 'key', ...use })).toBeUndefined();
  });
});
