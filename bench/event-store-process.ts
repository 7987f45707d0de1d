import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('../bundle/event-store.js', import.meta.url));

export async function withEventStore<T>(
  dir: string,
  args: readonly string[],
  use: (url: string, pid: number) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, [ENTRY, '--dir', dir, '--stop-with-stdin', ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { port } = JSON.parse(line) as { port: number };
    return await use(`esdb://127.0.0.1:${port}?tls=false`, child.pid ?? 0);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
