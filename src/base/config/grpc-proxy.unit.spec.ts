import { describe, expect, it } from '@jest/globals';
import { keepLoopbackFromProxies } from './grpc-proxy.js';

describe('the hosts that gRPC reaches without a proxy', () => {
  it.each([
    [{}, '127.0.0.1,::1,localhost'],
    [{ no_proxy: 'intranet' }, 'intranet,127.0.0.1,::1,localhost'],
    [{ no_proxy: 'intranet', no_grpc_proxy: 'store,localhost' }, 'store,localhost,127.0.0.1,::1'],
  ])('for %j are those and loopback', (env: NodeJS.ProcessEnv, expected) => {
    const changed = { ...env };
    keepLoopbackFromProxies(changed);
    keepLoopbackFromProxies(changed);
    expect(changed).toEqual({ ...env, no_grpc_proxy: expected });
  });
});
