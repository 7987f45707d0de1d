import type { AuthorityStore } from './authority-store.js';

export interface RegistrationState {
  readonly isOpen: boolean;
  /** `setting`: no operator has decided yet, so `REGISTRATION` holds. */
  readonly by: 'operator' | 'setting';
}

export async function registrationState(
  store: AuthorityStore,
  { registration }: { readonly registration: 'open' | 'closed' },
): Promise<RegistrationState> {
  const [row] = await store.rows<{ is_open: boolean }>(
    { name: 'registration', text: 'SELECT is_open FROM authority.registration' },
    [],
  );
  return row ? { isOpen: row.is_open, by: 'operator' } : { isOpen: registration === 'open', by: 'setting' };
}
