export interface Running {
  readonly pid: number;
  /** Resolves at the end of the process, with its exit code or signal as text. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
  kill(): void;
}

export function howItEnded(code: number | null, signal: NodeJS.Signals | null): string {
  return signal ? `ended by ${signal}` : `exit code ${code}`;
}
