import type { Logger } from 'pino';
import { within } from '../log/client-errors.js';

/** One part of the network as `/readyz` shows it. `reason`: for a person, only where it is not ok. */
export interface ComponentHealth {
  readonly status: 'ok' | 'failed';
  readonly reason?: string;
}

export interface Readiness {
  readonly status: 'ok' | 'failed';
  readonly components: Readonly<Record<string, ComponentHealth>>;
}

/** Says for strangers to read why a component is not ready. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

/** Looks at one component; rejects if it is not ready. Only what a {@link NotReady} says is shown. */
export type Check = () => Promise<unknown>;

const CHECK_MS = 1_500;

/** Whether everything this process needs is there. Load balancers ask often: one look serves all who ask meanwhile. */
export class Health {
  private looking: Promise<Readiness> | undefined;

  constructor(
    private readonly checks: Readonly<Record<string, Check>>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  readiness(): Promise<Readiness> {
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async look(): Promise<Readiness> {
    const components = Object.fromEntries(
      await Promise.all(
        Object.entries(this.checks).map(
          async ([name, check]) => [name, await this.ask(name, check)] as const,
        ),
      ),
    );
    const isReady = Object.values(components).every(({ status }) => status === 'ok');
    return { status: isReady ? 'ok' : 'failed', components };
  }

  private async ask(name: string, check: Check): Promise<ComponentHealth> {
    try {
      await within(CHECK_MS, check());
      return { status: 'ok' };
    } catch (error) {
      this.logger.warn({ err: error, component: name }, 'not ready');
      return { status: 'failed', reason: error instanceof NotReady ? error.message : 'It does not answer.' };
    }
  }
}
