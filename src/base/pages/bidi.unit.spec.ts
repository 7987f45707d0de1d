import { describe, expect, it } from '@jest/globals';
import { closedBidi } from './bidi.js';

const [LRE, RLO, PDF, LRI, RLI, PDI] = ['\u202A', '\u202E', '\u202C', '\u2066', '\u2067', '\u2069'];

describe('the directions in a text', () => {
  it.each([
    ['none', 'שלום abc', 'שלום abc'],
    ['an isolate that stays open', `a${RLI}b`, `a${RLI}b${PDI}`],
    ['an override in an isolate', `${LRI}a${RLO}b`, `${LRI}a${RLO}b${PDF}${PDI}`],
    ['an override that its isolate ends', `${LRI}a${RLO}b${PDI}c`, `${LRI}a${RLO}b${PDI}c`],
    ['the end of an isolate around it', `a${PDI}b`, 'ab'],
    ['all closed', `${LRE}a${PDF}${LRI}b${PDI}`, `${LRE}a${PDF}${LRI}b${PDI}`],
  ])('are closed: %s', (_name, text, closed) => expect(closedBidi(text)).toBe(closed));
});
