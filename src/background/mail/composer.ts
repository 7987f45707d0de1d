import { mailboxOf } from '../../domain/account/mailbox.js';
import type { AddressHolder, Addresses } from '../../commands/account/addresses.js';
import type { AddressLinks } from '../../commands/account/address-links.js';
import type { OperatorLinks } from '../../commands/account/operator-links.js';
import type { RecoveryLinks } from '../../commands/account/recovery-links.js';
import type { MailRequest } from '../../commands/mail/mail-requests.js';
import type { Mail } from '../../base/mail/mail.js';
import {
  changedMail,
  factorsMail,
  operatorLinkMail,
  recoveredMail,
  recoveryMail,
  takenMail,
  verificationMail,
} from './texts.js';
import type { MailText } from './texts.js';

/** Takes one mail from a quota. False: the quota is used up. */
type Take = (who: string) => Promise<boolean>;

export interface ComposerOptions {
  readonly addresses: Addresses;
  readonly recoveryLinks: RecoveryLinks;
  readonly operatorLinks: OperatorLinks;
  readonly addressLinks: AddressLinks;
  readonly limits: Readonly<Record<'mailbox' | 'account' | 'recovery', Take>>;
  /** The pages to which tokens are added. */
  readonly pages: Readonly<Record<'recovery' | 'confirmation' | 'ending', string>>;
  readonly contact: string | undefined;
}

/** Makes the mail of a request, of what is true when it is made. */
export class Composer {
  constructor(private readonly options: ComposerOptions) {}

  /**
   * Undefined: nobody gets a mail, since the address opens nothing, or address or account got many. `isRetry`: the mail
   * was counted before.
   */
  async mailOf(request: MailRequest, isRetry: boolean): Promise<Mail | undefined> {
    const mailbox = mailboxOf(request.address);
    if (!mailbox) return undefined;
    const draft = await this.draft(request);
    if (!draft) return undefined;
    if (!isRetry && !(await this.isWithinBudget(request, mailbox.key, draft))) return undefined;
    const { holder } = draft;
    // A server may tell capitals apart, so another person's spelling of an address could be another mailbox.
    const isByAnother = request.kind === 'recovery' || holder.actorId !== request.actorId;
    const { address } = (isByAnother && mailboxOf(holder.email)) || mailbox;
    return { actorId: holder.actorId, to: address, ...(await draft.text()) };
  }

  /**
   * Mails that tell of a change are not counted. A verification counts as the asker's also if the address is another's, or
   * the budget would tell. It takes nothing from a recovery: nobody can use up the way back in of another person by it.
   */
  private async isWithinBudget(request: MailRequest, mailbox: string, { holder }: Draft): Promise<boolean> {
    const { limits } = this.options;
    if (request.kind === 'verification')
      return (await limits.account(request.actorId)) && limits.mailbox(mailbox);
    // By all that ends a link: with the budget used up, a link that works is in the mailbox.
    if (request.kind === 'recovery')
      return limits.recovery(JSON.stringify([holder.actorId, holder.proof, holder.passwordHash]));
    return true;
  }

  private async draft(request: MailRequest): Promise<Draft | undefined> {
    const { addresses, addressLinks, recoveryLinks, operatorLinks, pages, contact } = this.options;
    const { kind, address } = request;
    if (kind === 'recovery') {
      const link = async (owner: AddressHolder) =>
        `${pages.recovery}?token=${await recoveryLinks.make(owner)}`;
      return draftFor(await this.ownerOf(address), async (handle, owner) =>
        recoveryMail(handle, await link(owner)),
      );
    }
    const holder = await addresses.holder(request.actorId);
    if (kind === 'recovered') return draftFor(holder, (handle) => recoveredMail(handle, request.by, contact));
    if (kind === 'recovery_link_made') {
      const { actorId, linkId } = request;
      return draftFor(holder, async (handle) => {
        const token = await operatorLinks.endingToken({ actorId, linkId });
        return operatorLinkMail(handle, { ...request, ending: `${pages.ending}?token=${token}` }, contact);
      });
    }
    if (kind === 'address_changed') return draftFor(holder, (handle) => changedMail(handle, contact));
    if (kind !== 'verification') return draftFor(holder, (handle) => factorsMail(kind, handle, contact));
    const owner = await this.ownerOf(address);
    // A mail to the owner of a verified address tells them, and nobody else, that it is taken.
    if (owner && owner.actorId !== request.actorId) return draftFor(owner, takenMail);
    if (holder?.state !== 'active') return undefined;
    const link = async () => `${pages.confirmation}?token=${await addressLinks.make(holder, address)}`;
    return draftFor(holder, async (handle) => verificationMail(handle, await link()));
  }

  private async ownerOf(address: string): Promise<AddressHolder | undefined> {
    const { addresses } = this.options;
    const proof = await addresses.proofOf(address);
    return proof === undefined ? undefined : addresses.ownerOf(proof);
  }
}

/** The text is made once the limits allow it, since a link is stored. */
interface Draft {
  readonly holder: AddressHolder;
  readonly text: () => MailText | Promise<MailText>;
}

/** Undefined: there is no person, or their registration is not applied yet. */
function draftFor(
  holder: AddressHolder | undefined,
  text: (handle: string, holder: AddressHolder) => MailText | Promise<MailText>,
): Draft | undefined {
  if (!holder || holder.handle === null) return undefined;
  const { handle } = holder;
  return { holder, text: () => text(handle, holder) };
}
