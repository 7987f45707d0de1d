import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { Browser } from '../../../src/programs/demo/browser.js';
import type { BrowserUser } from '../../../src/programs/demo/browser.js';
import { environment, plaza, root } from '../../support/command.js';
import type { TestNetwork } from '../../support/network.js';
import { messageOf, Names } from './document.js';
import type { Block } from './document.js';

/** A block's expected value and the actual one. They are equal if the document is right. */
export interface Comparison {
  readonly expected: unknown;
  readonly actual: unknown;
}

interface Received {
  readonly start: string;
  readonly headers: Headers;
  /** A stream is read up to the expected number of messages. */
  readonly body: (expected: string) => Promise<string>;
}

/** Executes a document block by block, and compares each answer with the block after it. */
export class DocumentRunner {
  private readonly names = new Names();
  private printed = '';
  private received: Received = { start: '', headers: new Headers(), body: () => Promise.resolve('') };
  private callback = '';

  constructor(
    private readonly network: TestNetwork,
    private readonly person: BrowserUser,
  ) {
    this.names.set('HOST', new URL(network.baseUrl).host);
  }

  async take({ language, text }: Block): Promise<Comparison> {
    if (language === 'sh') return this.run(text);
    if (language === 'json') return this.readPrinted(text);
    if (text.startsWith('HTTP/1.1')) return this.readAnswer(text);
    if (text.startsWith('GET /api/auth/oauth2/authorize')) return this.authorize(text);
    if (text.startsWith('GET /callback')) return this.readCallback(text);
    return this.send(text);
  }

  private async run(text: string): Promise<Comparison> {
    const line = this.names.fill(text).replaceAll('npx plaza', `"${process.execPath}" "${plaza}"`);
    const options = { cwd: root, env: environment(this.network.env) };
    const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', line], options);
    this.printed = stdout;
    return { expected: '', actual: stderr };
  }

  private readPrinted(text: string): Comparison {
    const actual: unknown = JSON.parse(this.printed);
    const expected = this.names.readJson(text, actual);
    const credentials = this.names.fill('<CLIENT_ID>:<CLIENT_SECRET>');
    this.names.set('CLIENT_BASIC', Buffer.from(credentials).toString('base64'));
    return { expected, actual };
  }

  private async authorize(text: string): Promise<Comparison> {
    for (const made of ['STATE', 'NONCE']) this.names.set(made, randomUUID());
    const [, path = ''] = messageOf(this.names.fill(text)).start.split(' ');
    const { baseUrl } = this.network;
    const { pathname, search } = await new Browser(baseUrl).authorize(baseUrl + path, this.person);
    this.callback = `GET ${pathname}${search} HTTP/1.1`;
    return { expected: '/callback', actual: pathname };
  }

  private readCallback(text: string): Comparison {
    const actual = this.callback;
    return { expected: this.names.read(messageOf(text).start, actual), actual };
  }

  private async send(text: string): Promise<Comparison> {
    const { start, headers, body } = messageOf(this.names.fill(text));
    const [method = '', path = '', version] = start.split(' ');
    const { Host: host, ...others } = headers;
    const content = body === '' ? {} : { body };
    const response = await fetch(`http://${host}${path}`, {
      method,
      headers: others,
      redirect: 'manual',
      ...content,
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    const whole = isStream ? '' : await response.text();
    this.received = {
      start: `HTTP/1.1 ${response.status} ${response.statusText}`,
      headers: response.headers,
      body: (expected) => (isStream ? firstMessagesOf(response, expected) : Promise.resolve(whole)),
    };
    return { expected: 'HTTP/1.1', actual: version };
  }

  /** Compares only the headers that the document shows, and no HTML body. */
  private async readAnswer(text: string): Promise<Comparison> {
    const { start, headers, body } = messageOf(text);
    const shown = Object.keys(headers).map((name) => [name, this.received.headers.get(name) ?? '']);
    const given: Record<string, string> = Object.fromEntries(shown);
    const read = Object.entries(headers).map(([name, value]) => [
      name,
      this.names.read(value, given[name] ?? ''),
    ]);
    const actual = { start: this.received.start, headers: given };
    const expected = { start, headers: Object.fromEntries(read) as Record<string, string> };
    if (headers['content-type']?.startsWith('text/html')) return { expected, actual };
    const received = await this.received.body(body);
    if (body === '' || headers['content-type'] === 'text/event-stream')
      return {
        expected: { ...expected, body: this.names.read(body, received) },
        actual: { ...actual, body: received },
      };
    const content: unknown = JSON.parse(received);
    return {
      expected: { ...expected, body: this.names.readJson(body, content) },
      actual: { ...actual, body: content },
    };
  }
}

/** Reads as many messages as expected, and closes the stream. */
async function firstMessagesOf({ body }: Response, expected: string): Promise<string> {
  if (!body) throw new Error('the stream has no body');
  const count = expected.split('\n\n').length;
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const messages = text.split('\n\n');
    if (messages.length > count) return messages.slice(0, count).join('\n\n');
  }
  return text;
}
