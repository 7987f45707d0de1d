import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Clock } from '../commands/support/ambient.js';
import { keySet } from './signing-keys.js';
import type { KeyRing, KeySet } from './signing-keys.js';
import type { VaultSigningKeys } from './signing-keys-vault.js';

/** Far below the lead of a new key. */
const INTERVAL_MS = 5_000;

/** Keeps this server's key set as the vault and the clock say: whatever changes there is taken over within seconds. */
export class SigningKeyWatch implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  /** What the vault had last that a server can sign with. */
  private ring: KeyRing | undefined;
  private failing = false;

  /** @param take is given each new key set, in the place of `using`. */
  constructor(
    private readonly keys: Pick<VaultSigningKeys, 'ring'>,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private using: KeySet,
    private readonly take: (keys: KeySet) => void,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.look();
    this.timer = setInterval(() => {
      this.looking ??= this.look().finally(() => (this.looking = undefined));
    }, INTERVAL_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  /** Goes on with what is known while the vault is away, or has what no server can sign with: its schedule is known too. */
  async look(): Promise<void> {
    try {
      const ring = await this.keys.ring();
      this.update(ring);
      this.ring = ring;
      this.failing = false;
    } catch (error) {
      if (this.ring) this.update(this.ring);
      if (!this.failing)
        this.logger.warn({ err: error }, 'the signing keys cannot be looked at; going on with those known');
      this.failing = true;
    }
  }

  private update(ring: KeyRing): void {
    const wanted = keySet(ring, this.clock.now());
    if (kidsOf(wanted) === kidsOf(this.using)) return;
    this.take(wanted);
    this.using = wanted;
    this.logger.info({ kids: wanted.keys.map(({ kid }) => kid) }, 'the published signing keys changed');
  }
}

const kidsOf = ({ keys }: KeySet): string => keys.map(({ kid }) => kid).join(' ');
