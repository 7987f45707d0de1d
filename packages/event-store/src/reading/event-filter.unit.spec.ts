import { describe, expect, it } from '@jest/globals';
import { EventIndex } from '../storage/event-index.js';
import { eventFilter } from './event-filter.js';

class CountedExpression extends RegExp {
  asked = 0;

  override test(text: string): boolean {
    this.asked++;
    return super.test(text);
  }
}

describe('a filter by an expression', () => {
  it('tests each name once, however many events have it', () => {
    const index = new EventIndex();
    const names = 1000;
    for (let n = 0; n < names; n++) index.types.intern(Buffer.from(`type-${n}`));
    index.typeOf = (ordinal) => ordinal % names;
    const regex = new CountedExpression('7$');
    const filter = eventFilter(index, { on: 'type', matches: { regex } });
    const passed = Array.from({ length: 3 * names }, (_, i) => i).filter((ordinal) => filter(ordinal));
    expect(passed).toEqual(Array.from({ length: 300 }, (_, i) => i * 10 + 7));
    expect(regex.asked).toBe(names);
  });
});
