import { NotificationListener } from '../../base/store/notification-listener.js';
import { within } from '../client-errors.js';

/**
 * Channel of the notification that the vault sends when the destruction of a key commits. Payload: `<key id>
 * <person>`.
 */
export const DESTROYED_CHANNEL = 'vault_key_destroyed';

const HEARTBEAT_MS = { every: 2_000, timeout: 1_000 };

export interface KeyCache {
  allowCaching(may: boolean): void;
  evict(destroyed: { readonly keyId: string; readonly person: string }): void;
}

/**
 * Removes a key from the cache of this process when any process destroys it. Without a working connection for the
 * notifications, no key is cached; a heartbeat detects a dead connection within seconds.
 */
export class DestroyedKeys {
  private readonly listener: NotificationListener;

  constructor(
    vault: { readonly url: string; readonly applicationName: string },
    private readonly cache: KeyCache,
  ) {
    this.listener = new NotificationListener({
      url: vault.url,
      applicationName: `${vault.applicationName}-keys`,
      channels: [DESTROYED_CHANNEL],
      probeEveryMs: HEARTBEAT_MS.every,
      open: (client) => ({
        onConnected: () => cache.allowCaching(true),
        onNotification: (_channel, payload) => {
          const [keyId = '', person = ''] = payload.split(' ');
          cache.evict({ keyId, person });
        },
        probe: () => within(HEARTBEAT_MS.timeout, () => client.query('SELECT 1')),
      }),
      onDisconnected: () => cache.allowCaching(false),
    });
  }

  /** Starts listening. Resolves after the first attempt to connect, successful or not. */
  start(): Promise<void> {
    return this.listener.start();
  }

  async stop(): Promise<void> {
    const stopped = this.listener.stop();
    this.cache.allowCaching(false);
    await stopped;
  }
}
