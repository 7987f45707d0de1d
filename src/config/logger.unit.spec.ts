import { describe, expect, it } from '@jest/globals';
import { describeError } from './logger.js';

describe('an error in the log', () => {
  it('says what went wrong and where, and nothing of what was being written', () => {
    const driver = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Key (email)=(ana@example.org)',
    });
    const error = Object.assign(new Error('query failed', { cause: driver }), {
      query: 'INSERT INTO credential VALUES ($1)',
      parameters: ['$argon2id$secret'],
      driverError: driver,
    });
    const described = describeError(error);
    expect(described).toMatchObject({
      message: 'query failed',
      cause: { message: 'duplicate key', code: '23505' },
    });
    expect(described.stack).toContain('logger.unit.spec');
    expect(JSON.stringify(described)).not.toMatch(/argon2id|ana@example/);
  });

  it('may be no error at all', () => {
    expect(describeError('thrown')).toEqual({ type: 'string', message: 'thrown' });
  });
});
