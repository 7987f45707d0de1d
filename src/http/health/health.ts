import type { Logger } from 'pino';
import { within } from '../../log/eventstoredb/client-errors.js';

/** One part of the network as `/readyz` shows it. `reason`: for a person, only where it is not ok. */
export interface ComponentHealth {
  readonly status: 'ok' | 'failed';
  readonly reason?: string;
}

export interface Readiness {
  /** `failed`: something that is needed is. */
  readonly status: 'ok' | 'failed';
  readonly components: Readonly<Record<string, ComponentHealth>>;
}

/** Says for strangers to read why a component is not ready. */
export class NotReady extends Error {
  override readonly name = 'NotReady';

  /** `fault`: stays the same for as long as the same is wrong, where the message counts the seconds. */
  constructor(
    message: string,
    readonly fault = message,
  ) {
    super(message);
  }
}

/**
 * Looks at one component; rejects if it is not ready. Only what a {@link NotReady} says is shown. The signal aborts when
 * nobody waits for the answer any more.
 */
export type Check = (signal: AbortSignal) => Promise<unknown>;

export interface Checks {
  /** Without one of these, requests are better sent to another process, or to none. */
  readonly needed: Readonly<Record<string, Check>>;
  /** These are shown, and make nobody go elsewhere. */
  readonly shown: Readonly<Record<string, Check>>;
}

const CHECK_MS = 1_500;

/**
 * Whether everything this process needs is there. Load balancers ask often: one look serves all who ask meanwhile, and the
 * log tells only what has changed.
 */
export class Health {
  private looking: Promise<Readiness> | undefined;
  /** What is wrong with each component that is not ready. */
  private readonly faults = new Map<string, string>();

  constructor(
    private readonly checks: Checks,
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
  ) {}

  readiness(): Promise<Readiness> {
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async look(): Promise<Readiness> {
    const [needed, shown] = await Promise.all([this.all(this.checks.needed), this.all(this.checks.shown)]);
    const isReady = Object.values(needed).every(({ status }) => status === 'ok');
    return { status: isReady ? 'ok' : 'failed', components: { ...needed, ...shown } };
  }

  private async all(checks: Readonly<Record<string, Check>>): Promise<Readiness['components']> {
    const asked = Object.entries(checks).map(
      async ([name, check]) => [name, await this.ask(name, check)] as const,
    );
    return Object.fromEntries(await Promise.all(asked));
  }

  private async ask(name: string, check: Check): Promise<ComponentHealth> {
    try {
      await within(CHECK_MS, check);
    } catch (error) {
      const reason = error instanceof NotReady ? error.message : 'It does not answer.';
      const fault = error instanceof NotReady ? error.fault : reason;
      if (this.faults.get(name) !== fault) this.logger.warn({ err: error, component: name }, 'not ready');
      this.faults.set(name, fault);
      return { status: 'failed', reason };
    }
    if (this.faults.delete(name)) this.logger.info({ component: name }, 'ready again');
    return { status: 'ok' };
  }
}
