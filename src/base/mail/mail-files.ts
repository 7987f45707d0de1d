import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../support/clock.js';
import { MailTransport } from './mail.js';
import type { Mail } from './mail.js';

export const MAIL_FILE_MS = 24 * 60 * 60_000;

/** A name says when the mail was written and for whom, so that no content is read to remove it. */
const nameOf = (at: number, actorId: string): string => `${at}.${actorId}.${randomUUID()}.txt`;
const partsOf = (name: string) => /^(\d+)\.([A-Za-z0-9_-]+)\.[0-9a-f-]+\.txt$/.exec(name);

/** Mails as files of this machine, which its operator alone can read. */
export class MailFiles extends MailTransport {
  constructor(
    private readonly directory: string,
    private readonly clock: Clock,
    private readonly logger: Pick<Logger, 'info'>,
  ) {
    super();
  }

  override async send({ actorId, to, subject, text }: Mail): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const file = join(this.directory, nameOf(this.clock.now(), actorId));
    await writeFile(file, `To: ${to}\nSubject: ${subject}\n\n${text}`, { mode: 0o600, flag: 'wx' });
    this.logger.info({ file }, 'SMTP_URL is not set; wrote a mail to a file');
  }

  /** Removes the files of a day ago and those of people whom `erasedOf` returns of all. */
  async removeOld(erasedOf: (actorIds: readonly string[]) => Promise<readonly string[]>): Promise<void> {
    const names = await readdir(this.directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    });
    const files = names.flatMap((name) => {
      const [, at, actorId] = partsOf(name) ?? [];
      return actorId === undefined ? [] : [{ name, at: Number(at), actorId }];
    });
    if (files.length === 0) return;
    const erased = new Set(await erasedOf([...new Set(files.map(({ actorId }) => actorId))]));
    const oldest = this.clock.now() - MAIL_FILE_MS;
    for (const { name, at, actorId } of files)
      if (at <= oldest || erased.has(actorId)) await rm(join(this.directory, name), { force: true });
  }
}
