import { mailboxOf } from '../../domain/account/mailbox.js';
import type { AddressHolder, Addresses } from '../../commands/account/addresses.js';
import type { AddressLinks } from '../../commands/account/address-links.js';
import type { RecoveryLinks } from '../../commands/account/recovery-links.js';
import type { MailRequest } from '../../commands/mail/mail-requests.js';
import type { Mail } from '../../base/mail/mail.js';
import { changedMail, recoveredMail, recoveryMail, takenMail, verificationMail } from './texts.js';
import type { MailText } from './texts.js';

/** Takes one mail from a quota. False: the quota is used up. */
type Take = (who: string) => Promise<boolean>;

export interface ComposerOptions {
  readonly addresses: Addresses;
  readonly recoveryLinks: RecoveryLinks;
  readonly addressLinks: AddressLinks;
  readonly limits: Readonly<Record<'mailbox' | 'account', Take>>;
  /** The pages to which tokens are added. */
  readonly pages: Readonly<Record<'recovery' | 'confirmation', string>>;
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
    const { limits } = this.options;
    const mailbox = mailboxOf(request.address);
    if (!mailbox) return undefined;
    const made = await this.made(request);
    if (!made) return undefined;
    const { kind } = request;
    const isAsked = kind === 'recovery' || kind === 'verification';
    // Claims of an address take nothing from its owner, who may need a link, and all the same from who claims it.
    const payer = kind === 'verification' ? request.actorId : made.actorId;
    const quota = `${kind} ${mailbox.key}`;
    if (isAsked && !isRetry && !((await limits.mailbox(quota)) && (await limits.account(payer))))
      return undefined;
    return { actorId: made.actorId, to: mailbox.address, ...(await made.text()) };
  }

  private async made(request: MailRequest): Promise<Made | undefined> {
    const { addresses, addressLinks, recoveryLinks, pages, contact } = this.options;
    const { kind, address } = request;
    const owner = await this.ownerOf(address);
    if (kind === 'recovery')
      return (
        owner &&
        madeFor(owner, async (handle) =>
          recoveryMail(handle, `${pages.recovery}?token=${await recoveryLinks.make(owner)}`),
        )
      );
    // A mail to the owner of a verified address tells them, and nobody else, that it is taken.
    if (kind === 'verification' && owner && owner.actorId !== request.actorId)
      return madeFor(owner, takenMail);
    const holder = await addresses.holder(request.actorId);
    if (!holder) return undefined;
    if (kind === 'recovered') return madeFor(holder, (handle) => recoveredMail(handle, contact));
    if (kind === 'address_changed') return madeFor(holder, (handle) => changedMail(handle, contact));
    if (holder.state !== 'active') return undefined;
    return madeFor(holder, async (handle) =>
      verificationMail(handle, `${pages.confirmation}?token=${await addressLinks.make(holder, address)}`),
    );
  }

  private async ownerOf(address: string): Promise<AddressHolder | undefined> {
    const { addresses } = this.options;
    const proof = await addresses.proofOf(address);
    return proof === undefined ? undefined : addresses.ownerOf(proof);
  }
}

/** The text is made once the limits allow it, since a link is stored. */
interface Made {
  readonly actorId: string;
  readonly text: () => MailText | Promise<MailText>;
}

const madeFor = (
  { actorId, handle }: AddressHolder,
  text: (handle: string) => MailText | Promise<MailText>,
): Made | undefined => (handle === null ? undefined : { actorId, text: () => text(handle) });
