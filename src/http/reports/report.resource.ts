import { z } from 'zod';
import { identifier } from '../requests/values.js';

/** decisions.md, "Operations the document implies". */
export const report = z
  .strictObject({ id: identifier, status: z.enum(['received']).describe('What became of it so far.') })
  .meta({ id: 'Report', description: 'What the operators of the network were told.' });

export const exampleReport = { id: 'r_2Hn4', status: 'received' } as const;
