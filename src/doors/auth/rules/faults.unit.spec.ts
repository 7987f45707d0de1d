import { describe, expect, it } from '@jest/globals';
import { errors } from 'oidc-provider';
import { Refusal } from '../../../domain/refusal.js';
import { LogUnavailable, NotWitnessed } from '../../../log/event-log.js';
import { HttpRefusal } from '../../../server/errors.js';
import { Fault, toFault, oauthError, publishedCode } from './faults.js';

const like = (members: object) => Object.assign(new Error('x'), members);

describe('a fault', () => {
  it.each([
    ['invalid_grant', 'invalid_grant'],
    ['insufficient_scope', 'capability_required'],
    ['unauthorized_client', 'invalid_client'],
    ['unsupported_response_mode', 'invalid_request'],
    ['toString', 'invalid_request'],
  ])('of the library called %s is published as %s', (code, published) => {
    expect(publishedCode(code)).toBe(published);
  });

  it.each([
    ['the log is unavailable', new LogUnavailable('x'), 503, 'temporarily_unavailable'],
    [
      'the witness contradicts the log',
      new NotWitnessed('witness_acceptance_mismatch', 'x', { cause: new Error('secret detail') }),
      503,
      'temporarily_unavailable',
    ],
    [
      'the store is unreachable',
      Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
      503,
      'temporarily_unavailable',
    ],
    [
      'the network refuses reads',
      new HttpRefusal('protected_read_unavailable', 'x'),
      503,
      'temporarily_unavailable',
    ],
    ['the request is wrong', new errors.InvalidScope('no such scope', 'fly'), 400, 'invalid_scope'],
    ['a rule refuses', new Refusal('social_authority_required', 'x'), 403, 'social_authority_required'],
    ['the host is wrong', like({ status: 403, code: 'origin_mismatch' }), 403, 'origin_mismatch'],
    [
      'the form is too long',
      like({ statusCode: 413, code: 'FST_ERR_CTP_BODY_TOO_LARGE' }),
      413,
      'invalid_request',
    ],
    [
      'the server fails internally',
      like({ statusCode: 500, code: 'FST_ERR', message: 'secret' }),
      500,
      'server_error',
    ],
    ['the error is unexpected', new Error('secret detail'), 500, 'server_error'],
    ['the thrown value is no error', 'a string', 500, 'server_error'],
  ])('has advice when %s', (_case, error, status, code) => {
    const fault = toFault(error);
    expect(fault).toMatchObject({ status, code, isTransient: status === 503 });
    expect(fault.description).not.toContain('secret');
    expect(Object.keys(oauthError(fault))).toEqual(['error', 'error_description']);
  });

  it('is not converted again', () => {
    const fault = new Fault(400, 'invalid_request', 'x');
    expect(toFault(fault)).toBe(fault);
  });
});
