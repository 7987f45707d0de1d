import { once } from 'node:events';
import type { Client } from 'pg';
import { endSession, sessionClient } from './session-client.js';

/** Handles one notification. If the handler rejects, the session counts as lost. */
export type NotificationHandler = (channel: string, payload: string) => void | Promise<void>;

/** One connection to Postgres, for a lock or for LISTEN. Its signal `lost` aborts when the connection breaks. */
export class Session {
  readonly client: Client;
  private readonly broken = new AbortController();
  private isClosed = false;

  constructor(url: string, applicationName: string) {
    this.client = sessionClient(url, applicationName);
    this.client.on('error', (error) => this.breakOff(error));
    this.client.on('end', () =>
      this.breakOff(new Error('the connection to Postgres for a lock or notifications has ended')),
    );
  }

  /** Aborts when the connection breaks, with the error as its reason. Does not abort on {@link close}. */
  get lost(): AbortSignal {
    return this.broken.signal;
  }

  /** Connects. Rejects also if the session is closed meanwhile, where `pg` would never settle. */
  async connect(): Promise<void> {
    const ended = once(this.client, 'end').then(() => {
      throw new Error('the session was closed before it was connected');
    });
    await Promise.race([this.client.connect(), ended]);
  }

  /** Subscribes to these channels. Resolves once Postgres confirms it: later notifications arrive. */
  async listen(channels: readonly string[], onNotification: NotificationHandler): Promise<void> {
    const handle = async (channel: string, payload: string) => onNotification(channel, payload);
    this.client.on('notification', ({ channel, payload = '' }) => {
      handle(channel, payload).catch((error: unknown) => this.breakOff(error));
    });
    await this.client.query(channels.map((channel) => `LISTEN ${channel}`).join('; '));
  }

  /** Declares the connection lost: `lost` aborts with this reason, unless the session is closed. */
  breakOff(reason: unknown): void {
    if (!this.isClosed) this.broken.abort(reason);
  }

  /** Ends the session. Never rejects. */
  close(): Promise<void> {
    this.isClosed = true;
    return endSession(this.client);
  }
}
