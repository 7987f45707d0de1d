const notices = {
  welcome: 'Welcome! Your account is ready.',
  'welcome-and-asked': 'Welcome! Your account is ready. A mail asks you to confirm your address.',
  disconnected: 'Disconnected. The application can no longer act for you.',
  'password-changed': 'Your password is changed, and you are signed out in every other browser.',
  recovered: 'Your new password is set, and you are signed out in every other browser.',
  'recovered-and-some-connected':
    'Your new password is set, and you are signed out in every other browser. Not every application could be disconnected: your account page lists those that remain.',
  'link-ended': 'The link of the operators is ended. Your password stays as it is.',
  'link-ended-before': 'That link had ended before. Your password stays as it is.',
  'address-asked':
    'A mail is on its way to that address. Open its link in this browser, and confirm it there.',
  'address-confirmed': 'Your address is confirmed.',
  'passkey-added': 'The passkey is added: it signs you in from now on.',
  'passkey-removed': 'The passkey is removed, and you are signed out in every other browser.',
  'second-step-lifted': 'The second step is off.',
  'erasure-planned': 'Your account will be deleted. Until then you can keep it.',
  appealed: 'Your appeal is filed. Another operator than the one who decided will rule on it.',
  kept: 'You keep your account: it is not deleted.',
  'signed-out': 'You are signed out. Applications stay connected.',
  'signed-out-everywhere': 'You are signed out in every browser. Applications stay connected.',
  'signed-out-and-disconnected': 'You are signed out in every browser, and no application is connected.',
  'signed-out-and-some-disconnected':
    'You are signed out in every browser. Not every application could be disconnected: sign in to see those that remain, and tell the operator of this network.',
} as const;

export type NoticeName = keyof typeof notices;

/** The notice of this name, as a cookie had it; undefined: there is none. */
export function noticeText(name: string | undefined): string | undefined {
  return name !== undefined && Object.hasOwn(notices, name) ? notices[name as NoticeName] : undefined;
}
