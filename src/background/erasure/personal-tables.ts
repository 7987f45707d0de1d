/**
 * All columns with data of a person that an erasure removes. Postgres keeps no statistics of them, which would hold
 * samples; `test/recovery/personal-tables.spec.ts` compares this list with the schema.
 */
export const personalColumns = {
  /** Tables of the database of authority and read models. */
  read: {
    'authority.account': ['handle', 'display_name', 'email', 'website'],
    'authority.credential': ['password_hash', 'address_proof', 'factors'],
    'authority.oidc_record': ['payload'],
    'authority.known_browser': ['browser_hash', 'password_digest'],
    'authority.mail_request': ['content'],
    'authority.recovery_link': ['password_fingerprint', 'address_proof'],
  },
  incarnation: {
    actor: ['handle', 'display_name', 'bio', 'website'],
    post: ['text'],
  },
  vault: {
    'public.person_key': ['key'],
  },
} as const;

/** Has samples from before a column's statistics were turned off. */
const STATISTICS = 'pg_catalog.pg_statistic';

export const personalStores = ['read', 'vault'] as const;
export type PersonalStore = (typeof personalStores)[number];

const namesOf = (store: PersonalStore): string =>
  [...Object.keys(personalColumns[store]), STATISTICS].map((name) => `('${store}', '${name}')`).join(', ');

/** SQL of the tables that exist, each as `store` and `table_name`. */
export const personalTablesSql = `
  SELECT store, table_name FROM (VALUES ${personalStores.map(namesOf).join(', ')}) AS fixed (store, table_name)
  UNION ALL
  SELECT 'read', schema_name || '.' || name FROM recovery.incarnation
  CROSS JOIN unnest(ARRAY['${Object.keys(personalColumns.incarnation).join("', '")}']) AS name`;
