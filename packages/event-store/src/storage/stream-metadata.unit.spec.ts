import { describe, expect, it } from '@jest/globals';
import {
  SOFT_DELETED_BEFORE,
  parseMetadata,
  SOFT_DELETE_JSON,
  withTruncateBefore,
} from './stream-metadata.js';

const parse = (json: string, isJson = true): unknown => parseMetadata(Buffer.from(json), isJson);

describe('stream metadata', () => {
  it('reads the limits of a stream', () => {
    expect(parse('{"$maxCount":3,"$maxAge":2,"$tb":5,"$acl":{"$r":"me"},"mine":1}')).toEqual({
      maxCount: 3,
      maxAgeMs: 2000,
      truncateBefore: 5,
    });
  });

  it.each([
    ['text', 'no json'],
    ['a list', '[1]'],
    ['null', 'null'],
    ['wrong types', '{"$maxCount":"3","$maxAge":-1,"$tb":null}'],
    ['nothing', ''],
  ])('takes %s as no metadata', (_, json) => {
    expect(parse(json)).toEqual({});
  });

  it('ignores metadata that is not marked as JSON', () => {
    expect(parse('{"$maxCount":3}', false)).toEqual({});
  });

  it('recognizes a deletion, and undoes it without losing other fields', () => {
    expect(parse(SOFT_DELETE_JSON.toString())).toEqual({ truncateBefore: SOFT_DELETED_BEFORE });
    const back = withTruncateBefore(Buffer.from('{"$tb":9223372036854775807,"mine":1}'), 7);
    expect(JSON.parse(back!.toString())).toEqual({ $tb: 7, mine: 1 });
    expect(withTruncateBefore(Buffer.from('[]'), 7)).toBeUndefined();
  });
});
