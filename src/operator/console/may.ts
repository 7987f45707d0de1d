import { html } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import type { Act } from '../desk/act.js';
import { isAdmitted } from '../desk/admission.js';
import type { Session } from '../desk/identity/sessions.js';

const acts = new Map<string, Act>();

/** The table names the acts of all rooms, whose pages name acts in turn: who opens the console brings it. */
export function bringActs(table: readonly Act[]): void {
  for (const row of table) acts.set(row.name, row);
}

/** Undefined: the act is of another release. */
export const findAct = (name: string): Act | undefined => acts.get(name);

export function actNamed(name: string): Act {
  const row = acts.get(name);
  if (!row) throw new Error(`${name} is not in the table of acts`);
  return row;
}

/** The act as the command line and the runbook name it. */
export const commandOf = (name: string): Html => html`<code>plaza ${actNamed(name).command ?? ''}</code>`;

/** True if the signed-in operator may do this act: its form is shown to no other. */
export function mayDo(session: Session | undefined, name: string): boolean {
  if (!session) return false;
  const { operatorId, roles } = session;
  return isAdmitted(actNamed(name), { kind: 'operator', operatorId, roles });
}
