import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config/config.js';
import { OperatorClient } from '../../src/operator/cli/operator-client.js';
import { enrollOperator } from '../support/operators.js';
import { startSeparateNetwork } from '../support/separate-network.js';
import type { SeparateNetwork } from '../support/separate-network.js';

let network: SeparateNetwork;

beforeAll(async () => {
  network = await startSeparateNetwork();
});
afterAll(() => network?.stop());

it("a suspended operator's next request is refused on every process", async () => {
  const at = (port: number, token = network.env['OPERATOR_TOKEN']) =>
    new OperatorClient(
      readConfig({ ...network.env, OPERATOR_PORT: String(port), OPERATOR_TOKEN: token }),
      'test',
    );
  const [here = 0, there = 0] = network.operatorPorts;
  const { operatorId, token } = await enrollOperator(at(here), ['viewer']);
  const admin = await enrollOperator(at(there), ['administrator']);
  for (const port of [here, there]) await at(port, token).projections();
  await at(there, admin.token).setOperatorState(operatorId, 'suspend', 'left');
  for (const port of [here, there])
    await expect(at(port, token).projections()).rejects.toThrow('This operator is suspended. (invalid_token)');
  await at(here, admin.token).setOperatorState(operatorId, 'reinstate', 'came back');
  for (const port of [here, there]) await at(port, token).projections();
});
