/** Jest's globalTeardown: removes what run.setup.mjs made. */
export { tearDown as default } from './run.setup.mjs';
