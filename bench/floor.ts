import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Target } from './load.js';

/** A minimal process for comparison. Sends its port first, then answers questions. */
export interface Floor extends Target {
  ask<Answer>(question: object): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startFloor(program: string, args: readonly string[] = []): Promise<Floor> {
  const child = fork(fileURLToPath(new URL(`${program}.js`, import.meta.url)), args);
  const ended = once(child, 'exit');
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    async ask<Answer>(question: object) {
      child.send(question);
      const [answer] = (await once(child, 'message')) as [Answer];
      return answer;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
