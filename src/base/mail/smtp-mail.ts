import { createTransport } from 'nodemailer';
import type { NodemailerError } from 'nodemailer';
import type { Config } from '../config/config.js';
import { isLoopbackHost } from '../config/loopback.js';
import { MailNotSent, MailTransport, NETWORK_NAME } from './mail.js';
import type { Mail } from './mail.js';

/** `mail`: for all of one mail, since a server that sends a byte now and then is never silent for the time of a socket. */
const TIMEOUTS_MS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  mail: 60_000,
};

type SmtpSettings = Pick<Config, 'smtpUrl' | 'smtpPassword' | 'mailFrom'>;

/** Sends mails to the server of `SMTP_URL`: over TLS, except on this machine. */
export class SmtpMail extends MailTransport {
  private readonly transport: ReturnType<typeof transportTo>;
  private readonly from: string;

  constructor(
    settings: SmtpSettings,
    private readonly timeouts = TIMEOUTS_MS,
  ) {
    super();
    this.transport = transportTo(settings, timeouts);
    this.from = settings.mailFrom ?? '';
  }

  /** Addresses are objects, also in the envelope: the library parses texts. */
  override async send({ to, subject, text }: Mail): Promise<void> {
    const { from } = this;
    try {
      await this.transport.sendMail({
        from: { name: NETWORK_NAME, address: from },
        to: { name: '', address: to },
        envelope: { from: { name: '', address: from }, to: { name: '', address: to } },
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.timeout(this.timeouts.mail),
      });
    } catch (error) {
      const { code = 'unknown', command, responseCode } = error as NodemailerError;
      const answer = responseCode === undefined ? '' : ` after the answer ${responseCode}`;
      // A refused sender, password or text is the fault of the network, and is mended later; a refused recipient is not.
      const isFinal = command === 'RCPT TO' && (responseCode ?? 0) >= 500;
      throw new MailNotSent(`SMTP failed with ${code}${answer}`, isFinal);
    }
  }
}

function transportTo(
  { smtpUrl = '', smtpPassword = '' }: SmtpSettings,
  { mail: _mail, ...timeouts }: typeof TIMEOUTS_MS,
) {
  const { protocol, hostname, port, username } = new URL(smtpUrl);
  const secure = protocol === 'smtps:';
  const isHere = isLoopbackHost(hostname);
  return createTransport({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !isHere,
    ignoreTLS: !secure && isHere,
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: smtpPassword } }),
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
