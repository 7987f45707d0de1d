/** `@jest/globals` of the spec file that imports it. */
const globals = globalThis[Symbol.for('plaza.jest.globals')];

export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals;
