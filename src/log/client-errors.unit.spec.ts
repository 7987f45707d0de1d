import { expect, it } from '@jest/globals';
import { isAmbiguous } from './client-errors.js';

it('a call that a stopping server reset may be repeated, another internal error may not', () => {
  const internal = (message: string) => Object.assign(new Error(`13 INTERNAL: ${message}`), { code: 13 });
  expect(isAmbiguous(internal('Received RST_STREAM with code 0 (Call ended without gRPC status)'))).toBe(
    true,
  );
  expect(isAmbiguous(internal('a fault of the server'))).toBe(false);
});
