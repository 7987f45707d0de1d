export const activities = ['starting', 'standby', 'working', 'interrupted', 'outdated', 'stopped'] as const;

/** `working` includes building. `outdated`: the published incarnation is of a later version than the worker's code. */
export type Activity = (typeof activities)[number];

export interface GroupState {
  readonly activity: Activity;
  readonly reason?: string;
}
