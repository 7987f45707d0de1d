import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Config } from '../../../../base/config/config.js';
import { pageHeaders } from '../../../../base/pages/layout.js';
import { AuthorityStore } from '../../../../base/store/authority/authority-store.js';
import { registrationState } from '../../../../base/store/authority/registration.js';
import { isUnreachable } from '../../../../base/store/unreachable.js';
import { landingPage } from './landing.page.js';

@Controller()
export class LandingController {
  constructor(
    private readonly config: Config,
    private readonly store: AuthorityStore,
  ) {}

  @Get()
  async read(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.headers(headers);
    return landingPage(this.config.baseUrl, await this.isRegistrationOpen());
  }

  /** Undefined: the store does not answer. The page does without it. */
  private async isRegistrationOpen(): Promise<boolean | undefined> {
    try {
      return (await registrationState(this.store, this.config)).isOpen;
    } catch (error) {
      if (isUnreachable(error)) return undefined;
      throw error;
    }
  }
}

const headers = pageHeaders();
