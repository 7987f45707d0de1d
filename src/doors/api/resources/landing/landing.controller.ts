import { Controller, Get, Header, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Config } from '../../../../base/config/config.js';
import { icon, ICON_PATH } from '../../../../base/pages/icon.js';
import { AuthorityStore } from '../../../../base/store/authority/authority-store.js';
import { registrationState } from '../../../../base/store/authority/registration.js';
import { isUnreachable } from '../../../../base/store/unreachable.js';
import { landingHeaders, landingPage } from './landing.page.js';
import { NetworkNumbers } from './network-numbers.js';

@Controller()
export class LandingController {
  constructor(
    private readonly config: Config,
    private readonly store: AuthorityStore,
    private readonly numbers: NetworkNumbers,
  ) {}

  @Get()
  async read(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.headers(landingHeaders);
    const { baseUrl, operatorContact: contact } = this.config;
    const [isOpen, numbers] = await Promise.all([
      withoutStore(registrationState(this.store, this.config).then((state) => state.isOpen)),
      withoutStore(this.numbers.read()),
    ]);
    return landingPage({ baseUrl, isOpen, contact, numbers });
  }

  @Get(ICON_PATH)
  @Header('content-type', 'image/svg+xml')
  @Header('cache-control', 'max-age=86400')
  icon(): string {
    return icon;
  }
}

/** Undefined: the store does not answer. The page does without it. */
async function withoutStore<Value>(value: Promise<Value>): Promise<Value | undefined> {
  try {
    return await value;
  } catch (error) {
    if (isUnreachable(error)) return undefined;
    throw error;
  }
}
