import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Clock } from '../../base/support/clock.js';
import { keySetForProvider } from './signing-keys.js';
import type { KeyRing, KeySet } from './signing-keys.js';
import type { VaultSigningKeys } from './signing-keys-vault.js';

const INTERVAL_MS = 5_000;

/**
 * Applies changes of the signing keys in the vault, and due rotations, to this server within seconds: far sooner than
 * `PUBLISHED_BEFORE_USE_MS`.
 */
export class SigningKeyWatch implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private refreshing: Promise<void> | undefined;
  private ring: KeyRing | undefined;
  private failing = false;

  constructor(
    private readonly keys: Pick<VaultSigningKeys, 'ring'>,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private current: KeySet,
    private readonly apply: (keys: KeySet) => void,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.refresh();
    this.timer = setInterval(() => {
      this.refreshing ??= this.refresh().finally(() => (this.refreshing = undefined));
    }, INTERVAL_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.refreshing;
  }

  /** Without a usable ring from the vault, the last one and its rotation schedule stay in force. */
  async refresh(): Promise<void> {
    try {
      const ring = await this.keys.ring();
      this.update(ring);
      this.ring = ring;
      this.failing = false;
    } catch (error) {
      if (this.ring) this.update(this.ring);
      if (!this.failing)
        this.logger.warn(
          { err: error },
          'could not read the signing keys from the vault; using the last known ones',
        );
      this.failing = true;
    }
  }

  private update(ring: KeyRing): void {
    const next = keySetForProvider(ring, this.clock.now());
    if (kidsOf(next) === kidsOf(this.current)) return;
    this.apply(next);
    this.current = next;
    this.logger.info(
      { kids: next.keys.map(({ kid }) => kid) },
      'signing keys changed; this process now publishes those in kids',
    );
  }
}

const kidsOf = ({ keys }: KeySet): string => keys.map(({ kid }) => kid).join(' ');
