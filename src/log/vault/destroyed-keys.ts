import { endSession, sessionClient } from '../../store/session-client.js';
import { sleep } from '../../support/sleep.js';
import { within } from '../eventstoredb/client-errors.js';

/** `NOTIFY` in the vault's database, with the commit that destroys a key. Payload: `<key id> <person>`. */
export const DESTROYED_CHANNEL = 'vault_key_destroyed';

const HEARTBEAT_MS = { every: 2_000, timeout: 1_000 };
const RECONNECT_PAUSE_MS = { first: 100, longest: 2_000 };

export interface KeepsKeys {
  mayKeep(may: boolean): void;
  forget(destroyed: { readonly keyId: string; readonly person: string }): void;
}

/**
 * Evicts each key that any process destroys. Caching is disabled without a working connection; a heartbeat detects a
 * dead one within seconds.
 */
export class DestroyedKeys {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private disconnect: (() => void) | undefined;

  constructor(
    private readonly vault: { readonly url: string; readonly applicationName: string },
    private readonly cache: KeepsKeys,
  ) {}

  async start(): Promise<void> {
    const { promise: attempted, resolve } = Promise.withResolvers<void>();
    this.running ??= this.run(resolve);
    await attempted;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.disconnect?.();
    await this.running;
  }

  private async run(onAttempted: () => void): Promise<void> {
    const { signal } = this.stopping;
    let wait = RECONNECT_PAUSE_MS.first;
    while (!signal.aborted) {
      const isListening = await this.listen(onAttempted);
      onAttempted();
      if (isListening) wait = RECONNECT_PAUSE_MS.first;
      if (signal.aborted) break;
      await sleep(wait, signal);
      wait = Math.min(wait * 2, RECONNECT_PAUSE_MS.longest);
    }
  }

  private async listen(onListening: () => void): Promise<boolean> {
    const client = sessionClient(this.vault.url, `${this.vault.applicationName}-keys`);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    client.on('error', () => end()).on('end', () => end());
    client.on('notification', ({ payload = '' }) => {
      const [keyId = '', person = ''] = payload.split(' ');
      this.cache.forget({ keyId, person });
    });
    this.disconnect = end;
    let isListening = false;
    const probe = async (text: string) => {
      try {
        await within(HEARTBEAT_MS.timeout, () => client.query(text));
      } catch {
        end();
      }
    };
    const open = async () => {
      await client.connect();
      await client.query(`LISTEN ${DESTROYED_CHANNEL}`);
      isListening = !this.stopping.signal.aborted;
      this.cache.mayKeep(isListening);
      onListening();
    };
    const heartbeat = setInterval(() => void (isListening && probe('SELECT 1')), HEARTBEAT_MS.every);
    open().catch(() => end());
    await ended;
    clearInterval(heartbeat);
    this.cache.mayKeep(false);
    await endSession(client);
    return isListening;
  }
}
