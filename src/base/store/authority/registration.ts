import { z } from 'zod';
import type { AuthorityStore } from './authority-store.js';

/** `setting`: no operator has decided yet, so `REGISTRATION` holds. */
export const registrationShape = z.strictObject({ isOpen: z.boolean(), by: z.enum(['operator', 'setting']) });

export async function registrationState(
  store: AuthorityStore,
  { registration }: { readonly registration: 'open' | 'closed' },
): Promise<z.infer<typeof registrationShape>> {
  const [row] = await store.rows<{ is_open: boolean }>(
    { name: 'registration', text: 'SELECT is_open FROM authority.registration' },
    [],
  );
  return row ? { isOpen: row.is_open, by: 'operator' } : { isOpen: registration === 'open', by: 'setting' };
}
