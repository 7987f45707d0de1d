import { z } from 'zod';
import { identifier } from '../../requests/values.js';

export const report = z
  .strictObject({ id: identifier, status: z.enum(['received']).describe('Current state of the report.') })
  .meta({ id: 'Report', description: 'A report to the operators of the network.' });

export const exampleReport = { id: 'r_2Hn4', status: 'received' } as const;
