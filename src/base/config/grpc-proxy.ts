const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/**
 * Makes gRPC bypass proxies (`http_proxy`, `https_proxy`, `grpc_proxy`) for loopback. A proxy may run on another
 * machine, or as another user, whom the embedded event store rejects.
 */
export function keepLoopbackFromProxies(env: NodeJS.ProcessEnv = process.env): void {
  const given = env['no_grpc_proxy'] || env['no_proxy'] || '';
  const hosts = given.split(',').filter((host) => host !== '');
  env['no_grpc_proxy'] = [...new Set([...hosts, ...LOOPBACK])].join(',');
}
