/** A process that the launcher has started and that serves. */
export interface Running {
  readonly pid: number;
  /** Settles when the process has ended, with how, in words. */
  readonly exited: Promise<string>;
  /** Ends it in order; if that takes too long, by force. */
  stop(): Promise<void>;
  /** Ends it by force. */
  kill(): void;
}

/** How a process ended, in words for a log line. */
export function howItEnded(code: number | null, signal: NodeJS.Signals | null): string {
  return signal ? `ended by ${signal}` : `exit code ${code}`;
}
