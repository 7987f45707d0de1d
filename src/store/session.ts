import type { Client } from 'pg';
import { endSession, sessionClient } from './session-client.js';

/** Rejects if the session is of no more use. */
export type OnNotification = (channel: string, payload: string) => void | Promise<void>;

/** A connection with a session, for a lock or for LISTEN. Its loss is a signal. */
export class Session {
  readonly client: Client;
  private readonly broken = new AbortController();
  private isClosed = false;

  constructor(url: string, applicationName: string) {
    this.client = sessionClient(url, applicationName);
    this.client.on('error', (error) => this.breakOff(error));
    this.client.on('end', () => this.breakOff(new Error('the connection to Postgres has ended')));
  }

  /** Aborts with the fault as reason when the connection breaks, but not on {@link close}. */
  get lost(): AbortSignal {
    return this.broken.signal;
  }

  /** Resolves once Postgres sends the notifications of these channels. */
  async listen(channels: readonly string[], onNotification: OnNotification): Promise<void> {
    const handle = async (channel: string, payload: string) => onNotification(channel, payload);
    this.client.on('notification', ({ channel, payload = '' }) => {
      handle(channel, payload).catch((error: unknown) => this.breakOff(error));
    });
    await this.client.query(channels.map((channel) => `LISTEN ${channel}`).join('; '));
  }

  /** Counts the connection as lost. */
  breakOff(reason: unknown): void {
    if (!this.isClosed) this.broken.abort(reason);
  }

  /** Never rejects. */
  close(): Promise<void> {
    this.isClosed = true;
    return endSession(this.client);
  }
}
