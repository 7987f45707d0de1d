import { describe, expect, it } from '@jest/globals';
import { describeError } from './error-description.js';
import { createLogger } from './logger.js';

describe('an error in the log', () => {
  it('has its message and place, and no written data', () => {
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

  it('has a stack if it is our fault, and none in warnings and request lines', () => {
    const lines: string[] = [];
    const log = createLogger({ logLevel: 'info' }, 'test', { write: (line) => void lines.push(line) });
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const away = new Error('the log does not answer', { cause: refused });
    log.child({ reqId: 'r-1' }).warn({ code: 'auth_unavailable', err: away }, 'refused');
    log.error({ err: away }, 'unforeseen');
    const [warned, unforeseen] = lines.map((line) => JSON.parse(line) as unknown);
    expect(warned).toMatchObject({
      reqId: 'r-1',
      msg: 'refused',
      code: 'auth_unavailable',
      err: { message: 'the log does not answer', cause: { code: 'ECONNREFUSED' } },
    });
    expect(lines[0]).not.toContain('"stack"');
    expect(unforeseen).toMatchObject({ err: { stack: expect.stringContaining('logger.unit.spec') } });
  });

  it('may be any thrown value', () => {
    expect(describeError('thrown')).toEqual({ type: 'string', message: 'thrown' });
  });
});
