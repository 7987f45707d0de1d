import type { Clock } from '../../../base/support/clock.js';
import { AccountRow } from '../../../base/store/authority/account.row.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { passwordFingerprint } from '../../../base/store/authority/credential-hash.js';
import { CredentialRow } from '../../../base/store/authority/credential.row.js';
import type { VerifiedAccount } from './sign-in.js';

export interface ProvenPassword {
  readonly account: AccountRow;
  readonly credential: CredentialRow;
}

/** Values of signed cookies that say whose password this browser knew. They end after a while, and with the password. */
export class PasswordProofs {
  constructor(
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
  ) {}

  make({ actorId, passwordHash }: VerifiedAccount, lifetimeMs: number): { value: string; until: Date } {
    const until = this.clock.now() + lifetimeMs;
    return {
      value: [actorId, String(until), passwordFingerprint(passwordHash)].join('.'),
      until: new Date(until),
    };
  }

  async read(value: string | undefined): Promise<ProvenPassword | undefined> {
    const [actorId = '', until, proof] = value?.split('.') ?? [];
    if (value === undefined || Number(until) <= this.clock.now()) return undefined;
    const [account, credential] = await Promise.all([
      this.store.db.findOneBy(AccountRow, { actorId }),
      this.store.db.findOneBy(CredentialRow, { actorId }),
    ]);
    if (!account || account.state === 'erased' || !credential) return undefined;
    return passwordFingerprint(credential.passwordHash) === proof ? { account, credential } : undefined;
  }
}
