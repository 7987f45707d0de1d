import { createTransport } from 'nodemailer';
import type { Config } from '../config/config.js';
import { isLoopbackHost } from '../config/loopback.js';
import { MailNotSent, MailTransport } from './mail.js';
import type { Mail } from './mail.js';

/** A server that hangs holds a mail up, and no mail of another batch. */
const TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

type SmtpSettings = Pick<Config, 'smtpUrl' | 'smtpPassword' | 'mailFrom'>;

/** Sends mails to the server of `SMTP_URL`: over TLS, except on this machine. */
export class SmtpMail extends MailTransport {
  private readonly transport: ReturnType<typeof transportTo>;
  private readonly from: string;

  constructor(settings: SmtpSettings, timeouts = TIMEOUTS_MS) {
    super();
    this.transport = transportTo(settings, timeouts);
    this.from = settings.mailFrom ?? '';
  }

  /** Addresses are objects, which the library does not parse, and the envelope names them once more. */
  override async send({ to, subject, text }: Mail): Promise<void> {
    const { from } = this;
    try {
      await this.transport.sendMail({
        from: { name: 'Plaza', address: from },
        to: { name: '', address: to },
        envelope: { from, to: [to] },
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    } catch (error) {
      const { code = 'unknown', responseCode } = error as { code?: string; responseCode?: number };
      const answer = responseCode === undefined ? '' : ` after the answer ${responseCode}`;
      // A wrong password of the network's is mended later; a recipient or mail that the server refuses is not.
      const isFinal = (code === 'EENVELOPE' || code === 'EMESSAGE') && (responseCode ?? 0) >= 500;
      throw new MailNotSent(`SMTP failed with ${code}${answer}`, isFinal);
    }
  }
}

function transportTo({ smtpUrl = '', smtpPassword = '' }: SmtpSettings, timeouts: typeof TIMEOUTS_MS) {
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
