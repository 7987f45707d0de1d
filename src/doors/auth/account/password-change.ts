import type { CommandBus } from '@nestjs/cqrs';
import { ChangePassword } from '../../../commands/account/sign-ins.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { CredentialRow } from '../../../base/store/authority/credential.row.js';
import type { PasswordField } from '../pages/account.page.js';
import type { Passwords } from '../passwords.js';
import type { BrowserSessions, SignedIn } from '../sign-in/browser-sessions.js';
import { pageRequestMetadata } from '../storage/exchange.js';
import type { HttpExchange, FormFields } from '../storage/exchange.js';
import { enforceLimit } from '../sign-in/password-check.js';
import { passwordProblem } from '../sign-in/password-rules.js';
import type { SignInLimits } from '../sign-in/sign-in-limits.js';

type Faults = Readonly<Partial<Record<PasswordField, string>>>;

const notCurrent: Faults = { current: 'That is not your current password.' };

export class PasswordChange {
  constructor(
    private readonly commands: CommandBus,
    private readonly store: AuthorityStore,
    private readonly passwords: Passwords,
    private readonly limits: SignInLimits,
    private readonly sessions: BrowserSessions,
  ) {}

  /**
   * Changes the password by the fields `current` and `new`. Returns a message for each wrong field, or undefined after
   * the change. It ends every session and gives this browser a new one, so that a stolen session is worthless.
   * @throws {Fault} `pilot_rate_limited`: too many wrong passwords for this account and browser. Also errors of log and
   * store.
   */
  async change(
    exchange: HttpExchange,
    { account, uid }: SignedIn,
    fields: FormFields,
  ): Promise<Faults | undefined> {
    const { current = '', new: next = '' } = fields;
    const handle = account.handle ?? '';
    const fault = passwordProblem(next, [handle, account.email]);
    if (fault !== undefined) return { new: fault };
    if (next === current) return { new: 'Your current password is the same; choose another one.' };

    const { actorId } = account;
    enforceLimit(exchange, await this.limits.takePasswordConfirmation({ actorId, uid }));
    const credential = await this.store.db.findOneBy(CredentialRow, { actorId });
    const currentHash = credential?.passwordHash;
    if (!(await this.passwords.verify(currentHash, current)) || currentHash === undefined) return notCurrent;
    await this.limits.refundPasswordConfirmation({ actorId, uid });

    const passwordHash = await this.passwords.hash(next);
    const { changed } = await this.commands.execute(
      new ChangePassword(actorId, currentHash, passwordHash, pageRequestMetadata(exchange, { actorId })),
    );
    if (!changed) return notCurrent;
    await this.sessions.begin(exchange, { actorId, passwordHash });
    return undefined;
  }
}
