export const activities = ['starting', 'standby', 'working', 'interrupted', 'outdated', 'stopped'] as const;

/**
 * What a worker does for a group. `working`: also when it builds. `outdated`: what is published is of a later version than
 * its code.
 */
export type Activity = (typeof activities)[number];

export interface GroupState {
  readonly activity: Activity;
  /** Why the group stands still, in words for operators; only where it is `stopped`. */
  readonly reason?: string;
}
