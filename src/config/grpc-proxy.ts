const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/**
 * Makes gRPC connect to loopback itself where the environment names a proxy (`http_proxy`, `https_proxy`, `grpc_proxy`). Such a
 * proxy may be on another machine, or run as another user, whom the embedded event store refuses.
 */
export function keepLoopbackFromProxies(env: NodeJS.ProcessEnv = process.env): void {
  // gRPC reads `no_proxy` only where `no_grpc_proxy` is not set
  const given = env['no_grpc_proxy'] || env['no_proxy'] || '';
  const hosts = given.split(',').filter((host) => host !== '');
  env['no_grpc_proxy'] = [...new Set([...hosts, ...LOOPBACK])].join(',');
}
