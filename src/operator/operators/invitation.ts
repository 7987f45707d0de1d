import { z } from 'zod';
import type { Frame } from '../desk/page.js';
import { secretPage } from './pages/secret.page.js';

export const issuedInvitation = z.strictObject({
  operatorId: z.string(),
  invitationCode: z.string(),
  expiresAt: z.number(),
  link: z.string(),
});

export type IssuedInvitation = z.infer<typeof issuedInvitation>;

export const invitationPage = (frame: Frame, { link, expiresAt }: IssuedInvitation): string =>
  secretPage(frame, {
    title: 'The invitation',
    secret: link,
    expiresAt,
    advice: 'Send this link to the invited person, and to nobody else: it works once.',
    to: '/console/operators',
  });
