import { AsyncLocalStorage } from 'node:async_hooks';

/** Environment and streams of a command: those of its process, or of a caller that runs it in a process of its own. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

const given = new AsyncLocalStorage<Terminal>();

export const terminal = (): Terminal => given.getStore() ?? process;

/** Runs a command with another terminal than this process'. */
export const withTerminal = <T>(other: Terminal, run: () => Promise<T>): Promise<T> => given.run(other, run);
