import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '../../src/launch/free-port.js';
import { LogBench } from './support/log-bench.js';

let bench: LogBench;
let unusedPort: number;

beforeAll(async () => {
  bench = await LogBench.open();
  unusedPort = await freePort();
});

afterAll(() => bench?.close());

it.each(['esdb', 'kurrentdb', 'kurrent', 'kdb'])(
  'the log reaches an event store by %s://',
  async (scheme) => {
    const { position } = await bench.appendPost('alice', 'wherever it is');
    const host = `127.0.0.1:${bench.store.port}`;
    for (const address of [
      `${scheme}://${host}`,
      `${scheme}+discover://${host}`,
      // Any answering node of a cluster suffices, even if the first does not answer.
      `${scheme}://127.0.0.1:${unusedPort},${host}`,
      `${scheme}+discover://127.0.0.1:${unusedPort},${host}`,
    ]) {
      const opened = await bench.openAnother(`${address}?tls=false`);
      try {
        expect(await opened.log.head()).toBe(position);
        await opened.log.checkWritable();
      } finally {
        await opened.close();
      }
    }
  },
);
