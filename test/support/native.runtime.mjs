/**
 * Jest's runtime on Node's own modules: a spec file runs in the worker itself, not in a context of `node:vm`. Libraries
 * and the tested code are then loaded once in each worker and not once for each spec file, which takes longer than most
 * tests do, and there is one `Error` and one `Array`, as in production.
 *
 * The modules of test/, and of that of a package, are new for each spec file. The tested code is shared, so its modules must not keep state.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { sourceMaps } from './typescript.hooks.mjs';

const require = createRequire(import.meta.url);
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');
/** test/support/jest-globals.mjs reads it. */
const GLOBALS = Symbol.for('plaza.jest.globals');
let runs = 0;

export default class NativeRuntime {
  #environment;

  constructor(_config, environment) {
    this.#environment = environment;
  }

  /** jest-circus: its state is that of one spec file. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[EVENT_HANDLERS];
    return require(path);
  }

  requireModule(path) {
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    globalThis[GLOBALS] = { ...globals, jest: this.#environment.jest };
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(`${pathToFileURL(path).href}?run=${++runs}`);
  }

  getSourceMaps() {
    return sourceMaps;
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {
    delete globalThis[GLOBALS];
  }
}
