/** @slow */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { networksWithoutFaults } from '../support/networks-without-faults.js';
import { isSampled } from '../support/sample.js';
import { runFuzz } from './run-fuzz.js';

const REQUESTS = isSampled ? 2_000 : 5_000;
const SEED = 20_261_121;

let network: TestNetwork;

beforeAll(async () => {
  network = await lentNetwork();
  networksWithoutFaults.add(network.baseUrl);
});

afterAll(() => network?.stop());

describe(`${REQUESTS} requests, many of them invalid,`, () => {
  it('get only documented answers, never a 500, and a 200 for each operation', async () => {
    const { undeclared, failures, neverSucceeded, byCaller } = await runFuzz(network, {
      requests: REQUESTS,
      seed: SEED,
    });
    expect({ undeclared, failures, neverSucceeded }).toEqual({
      undeclared: [],
      failures: [],
      neverSucceeded: [],
    });
    expect(network.output()).not.toContain('unforeseen failure');
    const { stranger = 0, member = 0, application = 0 } = byCaller;
    expect(stranger).toBeGreaterThan(REQUESTS / 5);
    expect(member + application).toBeGreaterThan(REQUESTS * 0.45);
  });
});
