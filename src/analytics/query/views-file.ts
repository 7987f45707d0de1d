import { readCompleteUntil } from '../data-set/complete-until.js';
import { paths } from '../data-set/paths.js';
import type { State } from '../data-set/state.js';
import { putText } from '../data-set/write-file.js';
import { viewsOf } from './views.js';

/** Statements that make all views of a commit in a database of DuckDB, which may have those of another commit. */
export function viewStatements(dir: string, state: State, root = dir): readonly string[] {
  const views = viewsOf(state, root, readCompleteUntil(dir, state));
  return views.map(({ name, select }) => `CREATE OR REPLACE VIEW ${name} AS ${select}`);
}

export function writeViews(dir: string, state: State): void {
  const head = `-- Commit ${state.number} of a Plaza data set. Its files stay for an hour after a later commit replaced them.`;
  const statements = viewStatements(dir, state, state.root).map((statement) => `${statement};`);
  putText(dir, paths.views(dir), [head, ...statements, ''].join('\n'));
}
