import { status, Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { StreamWriter } from './stream-writer.js';

const unavailable = { code: status.UNAVAILABLE, details: 'shutting down', metadata: new Metadata() };

/** A call of a client that receives nothing, and the errors that ended it. */
function slowCall() {
  const errors: unknown[] = [];
  const call = new Writable({ objectMode: true, write: () => undefined });
  call.on('error', (error) => errors.push(error));
  return { outlet: new StreamWriter(call as never), errors };
}

describe('the end of a call', () => {
  it('stays the same when the server closes before the client has received it', () => {
    const { outlet, errors } = slowCall();
    outlet.push('the last answer');
    outlet.end();
    outlet.fail(unavailable);
    expect(errors).toEqual([]);
  });

  it('stays the same when a response comes too late', async () => {
    const { outlet, errors } = slowCall();
    outlet.push('the last answer');
    outlet.end();
    outlet.push('that an append was not finished in time');
    outlet.push('of another one');
    await setImmediate();
    expect(errors).toEqual([]);
  });

  it('is the first error', () => {
    const { outlet, errors } = slowCall();
    outlet.fail(unavailable);
    outlet.fail({ ...unavailable, details: 'something else' });
    outlet.end();
    expect(errors).toEqual([unavailable]);
  });
});
