import { z } from 'zod';
import { publishedDomainCodes } from '../../../server/domain-codes.js';
import { oauthCodes } from '../../../server/oauth-codes.js';

export const errorObject = z
  .strictObject({
    error: z.enum([...publishedDomainCodes, ...oauthCodes]).meta({ id: 'ErrorCode' }),
    message: z
      .string()
      .optional()
      .describe('Explanation and next step, for a person. Its wording may change.'),
    error_description: z
      .string()
      .optional()
      .describe('Replaces `message` in answers to OAuth clients. Not stable.'),
    error_uri: z.url().optional(),
  })
  .meta({ id: 'Error', description: 'The reason of a refusal. Only `error` is a stable identifier.' });
