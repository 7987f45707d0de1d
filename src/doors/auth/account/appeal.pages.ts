import { passkeys } from '../../../base/pages/passkey-script.js';
import type { CommandBus } from '@nestjs/cqrs';
import { EndRecoveryLink } from '../../../commands/account/operator-recovery.js';
import type { OperatorLinks } from '../../../commands/account/operator-links.js';
import { appealPage } from '../pages/appeal.page.js';
import type { AppealFault } from '../pages/own-cases.js';
import { Fault } from '../rules/faults.js';
import { ACCOUNT_PATH, APPEAL_PATH } from '../settings.js';
import type { Appellant, AppealAccess } from '../sign-in/appeal-access.js';
import type { Confirmation } from '../passkeys/confirmation.js';
import type { Downloads } from '../own-data/downloads.js';
import type { CsrfProtection } from '../sign-in/csrf-protection.js';
import { pageRequestMetadata } from '../storage/exchange.js';
import type { FormFields, HttpExchange, PageOrRedirect } from '../storage/exchange.js';
import type { PageCookies } from '../storage/page-cookies.js';
import type { Appeals } from './appeals.js';
import { linksOf } from './links-of.js';
import { noticeText } from './notices.js';
import type { OwnCases } from './own-cases.js';

/** The page of a suspended person, who may read why, appeal, and take their data along, and nothing else. */
export class AppealPages {
  constructor(
    private readonly cookies: PageCookies,
    private readonly csrf: CsrfProtection,
    private readonly access: AppealAccess,
    private readonly appeals: Appeals,
    private readonly ownCases: OwnCases,
    private readonly downloads: Downloads,
    private readonly commands: CommandBus,
    private readonly operatorLinks: OperatorLinks,
    private readonly confirmation: Confirmation,
  ) {}

  async show(exchange: HttpExchange): Promise<PageOrRedirect> {
    const appellant = await this.access.find(exchange);
    return appellant ? this.page(exchange, appellant) : { location: ACCOUNT_PATH };
  }

  async submit(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const appellant = await this.check(exchange, fields);
    const fault = await this.appeals.file(exchange, appellant.account.actorId, fields);
    if (fault) return this.page(exchange, appellant, { appeal: fault });
    this.cookies.setNotice(exchange, 'appealed');
    return { location: APPEAL_PATH };
  }

  async submitData(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const appellant = await this.check(exchange, fields);
    const { actorId, handle } = appellant.account;
    const person = { actorId, handle: handle ?? '', uid: appellant.holder };
    const begun = await this.downloads.begin(exchange, person, fields);
    return 'fault' in begun ? this.page(exchange, appellant, { download: begun.fault }) : begun;
  }

  async submitEndLink(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const { actorId } = (await this.check(exchange, fields)).account;
    const metadata = pageRequestMetadata(exchange, { actorId });
    const { changed } = await this.commands.execute(
      new EndRecoveryLink(actorId, metadata, fields['link'] ?? ''),
    );
    this.cookies.setNotice(exchange, changed ? 'link-ended' : 'link-ended-before');
    return { location: APPEAL_PATH };
  }

  async submitSignOut(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    await this.check(exchange, fields);
    this.access.end(exchange);
    return { location: ACCOUNT_PATH };
  }

  private async check(exchange: HttpExchange, fields: FormFields): Promise<Appellant> {
    const { headers } = exchange.request;
    this.csrf.checkOrigin(headers);
    const appellant = await this.access.find(exchange);
    if (!appellant)
      throw new Fault(403, 'login_required', 'You are no longer signed in. Nothing was changed.');
    this.csrf.check(appellant.holder, headers, fields);
    return appellant;
  }

  private async page(
    exchange: HttpExchange,
    { account, holder }: Appellant,
    faults: { readonly appeal?: AppealFault; readonly download?: string } = {},
  ): Promise<PageOrRedirect> {
    const { displayName, handle, actorId } = account;
    const { decisions } = await this.ownCases.of(actorId);
    const [form, person] = [this.csrf.field(holder), { displayName, handle: handle ?? '' }];
    const { options } = await this.confirmation.of({ actorId, uid: holder });
    const page = appealPage({
      signOut: `${APPEAL_PATH}/sign-out`,
      person,
      decisions,
      forms: { action: APPEAL_PATH, form, fault: faults.appeal },
      download: {
        action: `${APPEAL_PATH}/data`,
        form,
        handle: person.handle,
        fault: faults.download,
        options,
      },
      links: {
        ...(await linksOf(this.operatorLinks, actorId)),
        action: `${APPEAL_PATH}/recovery-link`,
        form,
      },
      notice: noticeText(this.cookies.takeNotice(exchange)),
    });
    return { page, status: Object.keys(faults).length === 0 ? 200 : 400, script: options && passkeys };
  }
}
