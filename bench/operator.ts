import { readConfig } from '../src/base/config/config.js';
import { OperatorClient } from '../src/operator/client/operator-client.js';
import type { Row } from '../src/operator/entrances/table.js';

/** Acts of an operator with the shared token of a network. */
export const operatorOf = (settings: NodeJS.ProcessEnv) =>
  new OperatorClient(readConfig(settings), 'benchmark').of<readonly Row[]>();
