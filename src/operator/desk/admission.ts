import { permissionsOf, roles } from '../../domain/operator/roles.js';
import { HttpRefusal } from '../../server/errors.js';
import type { Act } from './act.js';
import { mayUse } from './caller.js';
import type { Caller } from './caller.js';

/** @throws {HttpRefusal} `capability_required`; the fault that left unknown whether the shared token is limited. */
export function requireAdmission(row: Act, caller: Caller): void {
  if (isAdmitted(row, caller)) return;
  if (caller.kind === 'shared' && caller.fault !== undefined) throw caller.fault;
  throw new HttpRefusal(
    'capability_required',
    `You may not do this (${row.name}): ${adviceFor(row, caller)}`,
  );
}

export function isAdmitted(
  { may, isPersonal = false }: Pick<Act, 'may' | 'isPersonal'>,
  caller: Caller,
): boolean {
  if (isPersonal && caller.kind !== 'operator') return false;
  if (may === 'anyone' || may === 'invitation') return true;
  if (may === 'self') return caller.kind === 'operator';
  return mayUse(caller, may);
}

function adviceFor({ may, isPersonal = false }: Act, caller: Caller): string {
  if (may === 'self' || may === 'anyone' || may === 'invitation')
    return 'it needs a personal token (plaza operator enroll).';
  const able = roles.filter((role) => permissionsOf[role].includes(may)).join(' or ');
  if (isPersonal && caller.kind === 'shared')
    return `it needs the personal token of an operator with the role ${able} (plaza operator enroll).`;
  return caller.kind === 'shared'
    ? `the shared token is limited to emergencies; use the personal token of an operator with the role ${able}.`
    : `it needs the role ${able}, which an administrator can grant (plaza operator roles).`;
}
