export const groupActivities = [
  'starting',
  'standby',
  'working',
  'interrupted',
  'outdated',
  'stopped',
] as const;

/** `working` includes building. `outdated`: the published incarnation is of a later version than the worker's code. */
export type GroupActivity = (typeof groupActivities)[number];

export interface GroupState {
  readonly activity: GroupActivity;
  readonly reason?: string;
}
