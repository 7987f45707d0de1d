/** The environment of a spec file that runs in its worker itself (native.runtime.mjs). It restores what a file may change. */
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

const exit = process.exit.bind(process);

export default class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  /** `process.env` itself is the environment, which no other object is. */
  #before = { console: globalThis.console, env: process.env, variables: { ...process.env } };

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  /** The part of Jest's object that the specs use. */
  get jest() {
    const { moduleMocker: mocks, fakeTimersModern: timers } = this;
    return {
      fn: mocks.fn.bind(mocks),
      spyOn: mocks.spyOn.bind(mocks),
      replaceProperty: mocks.replaceProperty.bind(mocks),
      restoreAllMocks: () => mocks.restoreAllMocks(),
      useFakeTimers: (options) => timers.useFakeTimers(options),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
      advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    };
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    const { console, env, variables } = this.#before;
    globalThis.console = console;
    process.exit = exit;
    process.env = env;
    for (const name of Object.keys(env)) if (!(name in variables)) delete env[name];
    Object.assign(env, variables);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}
