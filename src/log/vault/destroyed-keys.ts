import { setTimeout as pause } from 'node:timers/promises';
import { endSession, sessionClient } from '../../store/session-client.js';
import { within } from '../eventstoredb/client-errors.js';

/** Channel of `NOTIFY` in the vault's database: `<key id> <person>`, with the commit that destroys a key. */
export const DESTROYED_CHANNEL = 'vault_key_destroyed';

const HEARTBEAT_MS = { every: 2_000, patience: 1_000 };
const RECONNECT_PAUSE_MS = { first: 100, longest: 2_000 };

/** What keeps keys in memory. */
export interface KeepsKeys {
  /** Whether keys may be kept from now on. False: what was kept is forgotten. */
  mayKeep(may: boolean): void;
  /** The key is destroyed: it is forgotten. */
  forget(destroyed: { readonly keyId: string; readonly person: string }): void;
}

/**
 * Hears of each key that any process destroys, so that this one forgets it at once. While it hears nothing, nothing may
 * be kept; a connection that is dead without a word is found out within seconds.
 */
export class DestroyedKeys {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private hangUp: (() => void) | undefined;

  constructor(
    private readonly vault: { readonly url: string; readonly applicationName: string },
    private readonly keeper: KeepsKeys,
  ) {}

  /** Listens until `stop`. Resolves once the first connection works, or does not: then it is tried again. */
  async start(): Promise<void> {
    const { promise: tried, resolve } = Promise.withResolvers<void>();
    this.running ??= this.run(resolve);
    await tried;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.hangUp?.();
    await this.running;
  }

  private async run(onTried: () => void): Promise<void> {
    const { signal } = this.stopping;
    let wait = RECONNECT_PAUSE_MS.first;
    while (!signal.aborted) {
      const listens = await this.listen(onTried);
      onTried();
      if (listens) wait = RECONNECT_PAUSE_MS.first;
      if (signal.aborted) break;
      await pause(wait, undefined, { signal }).catch(() => undefined);
      wait = Math.min(wait * 2, RECONNECT_PAUSE_MS.longest);
    }
  }

  /** One connection's life. Answers whether there was one. */
  private async listen(onListening: () => void): Promise<boolean> {
    const client = sessionClient(this.vault.url, `${this.vault.applicationName}-keys`);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    client.on('error', () => end()).on('end', () => end());
    client.on('notification', ({ payload = '' }) => {
      const [keyId = '', person = ''] = payload.split(' ');
      this.keeper.forget({ keyId, person });
    });
    this.hangUp = end;
    let listens = false;
    const ask = async (text: string) => {
      try {
        await within(HEARTBEAT_MS.patience, () => client.query(text));
      } catch {
        // Whatever it is: what is not heard of any more must not be kept.
        end();
      }
    };
    const open = async () => {
      await client.connect();
      await client.query(`LISTEN ${DESTROYED_CHANNEL}`);
      listens = !this.stopping.signal.aborted;
      this.keeper.mayKeep(listens);
      onListening();
    };
    const heartbeat = setInterval(() => void (listens && ask('SELECT 1')), HEARTBEAT_MS.every);
    open().catch(() => end());
    await ended;
    clearInterval(heartbeat);
    this.keeper.mayKeep(false);
    await endSession(client);
    return listens;
  }
}
