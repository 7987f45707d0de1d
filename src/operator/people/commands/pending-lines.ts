import type { Erased } from '../account.acts.js';

type PendingRewrite = NonNullable<Erased['pending']>[number];

export function pendingLines({ pending = [], largeTablesAt = 'off' }: Erased): readonly string[] {
  if (pending.length === 0) return [];
  const of = (state: PendingRewrite['state']) => pending.filter((each) => each.state === state);
  const hour = `${String(largeTablesAt).padStart(2, '0')}:00 UTC`;
  const when =
    largeTablesAt === 'off'
      ? 'waits for an hour in ERASURE_REWRITE_HOUR, or for plaza projections rebuild if it is a read model'
      : `is rewritten at ${hour}`;
  return [
    "Postgres' files still hold bytes of erased data. Repeat this command to see what is left.",
    ...counted(
      of('rewrite').length,
      'rewritten within minutes, later while an older session can read them or a rebuild is unfinished',
    ),
    ...of('large').map(({ store, table }) => `  ${store} ${table} is large and ${when}`),
    ...counted(
      of('checkpoint').length,
      'rewritten; the next checkpoint, within ten minutes, removes the rest',
    ),
  ];
}

const counted = (tables: number, text: string): readonly string[] =>
  tables === 0 ? [] : [`  ${tables} ${tables === 1 ? 'table is' : 'tables are'} ${text}`];
