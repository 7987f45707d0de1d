import { expect, it } from '@jest/globals';
import { createLogger } from '../../base/config/logger.js';
import { Health, NotReady, StillStarting } from './health.js';
import type { HealthChecks } from './health.js';

/** A component with a fault; undefined: it is ready. */
function given(where: keyof HealthChecks = 'required') {
  const logged: string[] = [];
  let fault: Error | undefined;
  const check = () => (fault ? Promise.reject(fault) : Promise.resolve());
  const logger = createLogger({ logLevel: 'info' }, 'test', {
    write(line) {
      const { component, msg, err } = JSON.parse(line);
      logged.push([component, msg, err?.message].filter(Boolean).join(': '));
    },
  });
  const health = new Health({ required: {}, informational: {}, [where]: { store: check } }, logger);
  const look = (found?: Error) => {
    fault = found;
    return health.readiness();
  };
  return { logged, look };
}

it('logs nothing about ready components', async () => {
  const { logged, look } = given();
  expect(await look()).toEqual({ status: 'ok', components: { store: { status: 'ok' } } });
  expect(logged).toEqual([]);
});

it.each(['required', 'informational'] as const)(
  'logs a fault of a component that is %s when its message changes',
  async (where) => {
    const { logged, look } = given(where);
    for (const found of [
      new NotReady('In quarantine: one reason'),
      new NotReady('In quarantine: one reason'),
      new NotReady('In quarantine: another'),
      new Error('one error'),
      new Error('another error'),
      Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
      undefined,
      undefined,
      new NotReady('In quarantine: another'),
    ])
      await look(found);
    expect(logged).toEqual([
      'store: not ready: In quarantine: one reason',
      'store: not ready: In quarantine: another',
      'store: not ready: one error',
      'store: not ready: refused',
      'store: ready',
      'store: not ready: In quarantine: another',
    ]);
  },
);

it('reports a changing duration at each check, and logs it once', async () => {
  const { logged, look } = given();
  const silent = (seconds: number) => new NotReady(`Silent for ${seconds} s.`, 'Silent.');
  expect((await look(silent(15))).components).toEqual({
    store: { status: 'failed', reason: 'Silent for 15 s.' },
  });
  expect((await look(silent(16))).components).toEqual({
    store: { status: 'failed', reason: 'Silent for 16 s.' },
  });
  expect(logged).toEqual(['store: not ready: Silent for 15 s.']);
});

it('logs a first start as no fault', async () => {
  const { logged, look } = given();
  await look(new StillStarting('being built'));
  await look();
  expect(logged).toEqual(['store: not ready yet', 'store: ready']);
});
