import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { startTcpProxy } from '../test/support/tcp-proxy.js';

/** The proxies before one node of an event store cluster: others reach the node through them alone. */
export interface NodeProxies {
  /** From now on refuses the connections of these clients, by their ports. */
  refuse(isRefused: (clientPort: number) => boolean): void;
  close(): Promise<void>;
}

/** `ports` is like `2111=3111,1111=3112`: each port that the node advertises, and the one on which it listens. */
export async function startNodeProxies(ports: string): Promise<NodeProxies> {
  const pairs = ports.split(',').map((pair) => pair.split('=').map(Number));
  const proxies = await Promise.all(pairs.map(([advertised, own]) => startTcpProxy(own ?? 0, advertised)));
  return {
    refuse: (isRefused) => proxies.forEach((proxy) => proxy.refuse(isRefused)),
    close: async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))),
  };
}

/** True if this process has a TCP connection from this port of its own. Needs Linux: proc(5), /proc/net/tcp. */
export function connectsFrom(pid: number, port: number): boolean {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n'));
  const sockets = new Set(
    rows
      .map((row) => row.trim().split(/\s+/))
      .filter(([, address]) => address?.endsWith(local))
      .map((fields) => `socket:[${fields[9]}]`),
  );
  return readdirSync(`/proc/${pid}/fd`).some((fd) => sockets.has(targetOf(`/proc/${pid}/fd/${fd}`)));
}

/** Empty if the process has closed the file meanwhile. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
