/** With fewer administrators who count as persons of their own, nobody can approve another one's acts. */
export const ENOUGH = 2;

export type Handling = 'run' | 'wait' | 'refuse';

interface Operator {
  readonly isEstablished: boolean;
}

export const handlingOf = ({ isEstablished }: Operator): Handling => (isEstablished ? 'wait' : 'refuse');

/** For the shared token. `isEmergency`: it does the act alone while too few are left to approve anything. */
export const handlingOfShared = (isEmergency: boolean, administrators: number): Handling =>
  isEmergency && administrators < ENOUGH ? 'run' : 'refuse';

/** One who does not count yet confirms only while nobody who counts is left: otherwise nobody ever would. */
export const mayConfirm = ({ isEstablished }: Operator, administrators: number): boolean =>
  isEstablished || administrators === 0;

export const confirmsAlone = (administrators: number): boolean => administrators < ENOUGH;

/**
 * Suspending, lowering and revoking need no approval, so that a thief is stopped at once. One who does not count yet does it only
 * to administrators who are too few to approve anything: otherwise they would open the way of the shared token.
 */
export const mayManage = ({ isEstablished }: Operator, administrators: number): boolean =>
  isEstablished || administrators < ENOUGH;
