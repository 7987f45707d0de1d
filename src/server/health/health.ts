import type { Logger } from 'pino';
import { within } from '../../log/client-errors.js';
import { storeFault } from './store-fault.js';

/** One component of `/readyz`. `reason`: for a person, present unless the status is ok. */
export interface ComponentHealth {
  readonly status: 'ok' | 'failed';
  readonly reason?: string;
}

export interface Readiness {
  readonly status: 'ok' | 'failed';
  readonly components: Readonly<Record<string, ComponentHealth>>;
}

/** The reason why a component is not ready. Unauthenticated clients read its message. */
export class NotReady extends Error {
  override readonly name = 'NotReady';

  /** `fault`: names the fault without varying details, such as seconds, so that a lasting fault is logged once. */
  constructor(
    message: string,
    readonly fault = message,
  ) {
    super(message);
  }
}

/** The component is not ready yet, as at each first start: logged as information, not as a warning. */
export class StillStarting extends NotReady {}

/**
 * Checks one component of `/readyz`, and rejects if it is not ready. Clients see the message of a {@link NotReady}, and
 * of other errors what {@link storeFault} makes of them. The signal aborts at the time limit of the check.
 */
export type HealthCheck = (signal: AbortSignal) => Promise<unknown>;

export interface HealthChecks {
  /**
   * If one of these fails, `/readyz` of this process answers 503, so that load balancers avoid the process. A failed
   * informational check is only shown.
   */
  readonly required: Readonly<Record<string, HealthCheck>>;
  readonly informational: Readonly<Record<string, HealthCheck>>;
}

const CHECK_MS = 1_500;
const UNKNOWN = 'The check failed; the log of this process has the error.';

/** Readiness of this process. Concurrent requests of load balancers share one check. Only changes are logged. */
export class Health {
  private pending: Promise<Readiness> | undefined;
  private readonly faults = new Map<string, string>();

  constructor(
    private readonly checks: HealthChecks,
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
  ) {}

  readiness(): Promise<Readiness> {
    this.pending ??= this.checkAll().finally(() => (this.pending = undefined));
    return this.pending;
  }

  private async checkAll(): Promise<Readiness> {
    const [required, informational] = await Promise.all([
      this.runAll(this.checks.required),
      this.runAll(this.checks.informational),
    ]);
    const isReady = Object.values(required).every(({ status }) => status === 'ok');
    return { status: isReady ? 'ok' : 'failed', components: { ...required, ...informational } };
  }

  private async runAll(checks: Readonly<Record<string, HealthCheck>>): Promise<Readiness['components']> {
    const results = Object.entries(checks).map(
      async ([name, check]) => [name, await this.run(name, check)] as const,
    );
    return Object.fromEntries(await Promise.all(results));
  }

  private async run(name: string, check: HealthCheck): Promise<ComponentHealth> {
    try {
      await within(CHECK_MS, check);
    } catch (error) {
      const reason = error instanceof NotReady ? error.message : (storeFault(error) ?? UNKNOWN);
      const fault = error instanceof NotReady ? error.fault : reason;
      if (this.faults.get(name) !== fault) this.record(name, error);
      this.faults.set(name, fault);
      return { status: 'failed', reason };
    }
    if (this.faults.delete(name)) this.logger.info({ component: name }, 'ready');
    return { status: 'ok' };
  }

  private record(component: string, error: unknown): void {
    if (error instanceof StillStarting)
      this.logger.info({ component, reason: error.message }, 'not ready yet');
    else this.logger.warn({ err: error, component }, 'not ready');
  }
}
