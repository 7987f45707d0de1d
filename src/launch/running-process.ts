export interface RunningProcess {
  readonly pid: number;
  readonly exited: Promise<string>;
  stop(): Promise<void>;
  kill(): void;
}

export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal ? `ended by ${signal}` : `exit code ${code}`;
}
