import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { until } from './until.js';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Head and body as they were sent. */
  readonly source: string;
  /** The body, decoded. */
  readonly text: string;
}

/**
 * `refuse`: no recipient, for good. `defer`: for now. `refuse sender`: as a server that does not know the network. `hang`: no
 * answer after the connection. `drip`: an answer that never ends.
 */
type Behavior = 'accept' | 'refuse' | 'defer' | 'refuse sender' | 'hang' | 'drip';

/** A server for mails on this machine (RFC 5321), which keeps what it gets. */
export class SmtpServer {
  behavior: Behavior = 'accept';
  readonly received: ReceivedMail[] = [];
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => this.serve(socket));
  }

  static async start(): Promise<SmtpServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SmtpServer(server);
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The settings of a network that uses it. */
  get settings(): NodeJS.ProcessEnv {
    return { SMTP_URL: this.url, MAIL_FROM: 'plaza@example.org' };
  }

  /** Takes the oldest mail to this address; waits for it. */
  async take(address: string): Promise<ReceivedMail> {
    return until(() => {
      const index = this.received.findIndex(({ to }) => to.includes(address));
      return Promise.resolve(this.received.splice(index, index < 0 ? 0 : 1)[0]);
    });
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    if (this.behavior === 'hang') return;
    let [from, data, rest] = ['', undefined as string | undefined, ''];
    let to: string[] = [];
    const say = (line: string) => socket.write(`${line}\r\n`);
    const command = (line: string): void => {
      const [, address = ''] = /<([^>]*)>/.exec(line) ?? [];
      if (/^(EHLO|HELO)/i.test(line)) say('250 plaza.test');
      else if (/^MAIL FROM:/i.test(line)) {
        if (this.behavior === 'refuse sender') return void say(`553 ${address} is not yours`);
        if (this.behavior === 'drip') {
          const drips = setInterval(() => say('250-wait'), 20);
          return void socket.on('close', () => clearInterval(drips));
        }
        [from, to] = [address, []];
        say('250 ok');
      } else if (/^RCPT TO:/i.test(line)) {
        if (this.behavior === 'refuse') return void say(`550 no such person ${address}`);
        if (this.behavior === 'defer') return void say('451 try again later');
        to.push(address);
        say('250 ok');
      } else if (/^DATA/i.test(line)) {
        data = '';
        say('354 go on');
      } else if (/^QUIT/i.test(line)) {
        say('221 bye');
        socket.end();
      } else say('250 ok');
    };
    socket.setEncoding('utf8');
    say('220 plaza.test');
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (data === undefined) command(line);
        else if (line === '.') {
          this.received.push({ from, to, source: data, text: bodyOf(data) });
          data = undefined;
          say('250 taken');
        } else data += `${line.replace(/^\./, '')}\r\n`;
      }
    });
  }
}

function bodyOf(source: string): string {
  const end = source.indexOf('\r\n\r\n');
  const [head, body] = [source.slice(0, end), source.slice(end + 4)];
  const [, encoding = '7bit'] = /^content-transfer-encoding: *(\S+)/im.exec(head) ?? [];
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
