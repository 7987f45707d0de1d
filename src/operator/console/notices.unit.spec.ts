import { expect, it } from '@jest/globals';
import { notices } from './notices.js';

it('has a notice for the acts of forms alone, not for other names in an address', () => {
  expect(notices.get('case.note')).toBeDefined();
  expect(notices.get('constructor')).toBeUndefined();
});
