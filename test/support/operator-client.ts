import type { Config } from '../../src/base/config/config.js';
import type { AnswerOf, Arguments, GivenTo } from '../../src/operator/client/calls.js';
import { OperatorClient as Client } from '../../src/operator/client/operator-client.js';
import type { Row } from '../../src/operator/entrances/table.js';

/** Parts of addresses after `/operator/`. */
type PathOf<Method extends string, Route = Row['route']> = Route extends `${Method} /operator/${infer Path}`
  ? Path
  : never;

/** An act by its address. `given`: parameters of the address and fields of the input. */
type Asking<Method extends string> = <Path extends PathOf<Method>>(
  path: Path,
  ...given: Arguments<GivenTo<Row, `${Method} /operator/${Path}`>>
) => Promise<AnswerOf<Row, `${Method} /operator/${Path}`>>;

export interface OperatorClient {
  readonly get: Asking<'GET'>;
  readonly post: Asking<'POST'>;
}

export function operatorClient(config: Config, operator = 'test'): OperatorClient {
  const client = new Client(config, operator);
  const asking = (method: string) => (path: string, given?: object) =>
    client.call(`${method} /operator/${path}`, { ...given });
  return { get: asking('GET'), post: asking('POST') } as OperatorClient;
}
