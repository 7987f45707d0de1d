export const notices = {
  welcome: 'Welcome! Your account is ready.',
  disconnected: 'Disconnected. The application can no longer act for you.',
  'password-changed': 'Your password is changed, and you are signed out in every other browser.',
  'erasure-planned': 'Your account will be deleted. Until then you can keep it.',
  kept: 'You keep your account: it is not deleted.',
  'signed-out': 'You are signed out. Applications stay connected.',
  'signed-out-everywhere': 'You are signed out in every browser. Applications stay connected.',
  'signed-out-and-disconnected': 'You are signed out in every browser, and no application is connected.',
  'signed-out-and-some-disconnected':
    'You are signed out in every browser. Not every application could be disconnected: sign in to see those that remain, and tell the operator of this network.',
} as const;

export type NoticeName = keyof typeof notices;

export function isNoticeName(value: string): value is NoticeName {
  return Object.hasOwn(notices, value);
}
