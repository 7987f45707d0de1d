/** In the sender and the texts of mails. */
export const NETWORK_NAME = 'Plaza';

/** A mail to one person, in plain text. */
export interface Mail {
  readonly actorId: string;
  /** An address as `mailboxOf` returns it: no part of it is parsed again. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * A mail was not sent. The message has no address, which the answer of a server has. `isFinal`: the server will not take it
 * later either.
 */
export class MailNotSent extends Error {
  override readonly name = 'MailNotSent';

  constructor(
    reason: string,
    readonly isFinal: boolean,
  ) {
    super(reason);
  }
}

export abstract class MailTransport {
  /** @throws {MailNotSent} */
  abstract send(mail: Mail): Promise<void>;
}
