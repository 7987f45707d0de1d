import { z } from 'zod';
import { oauthCodes } from '../server/oauth-codes.js';
import { refusalCodes } from '../../domain/refusal.js';

/** network-api.md, "Error body". */
export const errorBody = z
  .strictObject({
    error: z.enum([...refusalCodes, ...oauthCodes]),
    message: z.string().optional().describe('What to do next, for a person. Not stable.'),
    error_description: z.string().optional().describe("The same where OAuth's clients read it. Not stable."),
    error_uri: z.url().optional(),
  })
  .meta({ id: 'Error', description: 'Why a request was refused. Only `error` is a stable identifier.' });
