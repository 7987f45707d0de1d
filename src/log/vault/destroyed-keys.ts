import { NotificationListener } from '../../store/notification-listener.js';
import { within } from '../eventstoredb/client-errors.js';

/** `NOTIFY` in the vault's database, with the commit that destroys a key. Payload: `<key id> <person>`. */
export const DESTROYED_CHANNEL = 'vault_key_destroyed';

const HEARTBEAT_MS = { every: 2_000, timeout: 1_000 };

export interface KeepsKeys {
  mayKeep(may: boolean): void;
  forget(destroyed: { readonly keyId: string; readonly person: string }): void;
}

/**
 * Evicts each key that any process destroys. Caching is disabled without a working connection; a heartbeat detects a
 * dead one within seconds.
 */
export class DestroyedKeys {
  private readonly listener: NotificationListener;

  constructor(
    vault: { readonly url: string; readonly applicationName: string },
    private readonly cache: KeepsKeys,
  ) {
    this.listener = new NotificationListener({
      url: vault.url,
      applicationName: `${vault.applicationName}-keys`,
      channels: [DESTROYED_CHANNEL],
      probeEveryMs: HEARTBEAT_MS.every,
      open: (client) => ({
        onConnected: () => cache.mayKeep(true),
        onNotification: (_channel, payload) => {
          const [keyId = '', person = ''] = payload.split(' ');
          cache.forget({ keyId, person });
        },
        probe: () => within(HEARTBEAT_MS.timeout, () => client.query('SELECT 1')),
      }),
      onDisconnected: () => cache.mayKeep(false),
    });
  }

  /** Resolves after the first attempt to connect. */
  start(): Promise<void> {
    return this.listener.start();
  }

  async stop(): Promise<void> {
    const stopped = this.listener.stop();
    this.cache.mayKeep(false);
    await stopped;
  }
}
