/** Said on the page after a form, by the name of its act. */
export const notices: Readonly<Record<string, string>> = {
  'own.register_passkey': 'The passkey is registered.',
  'own.remove_passkey': 'The passkey is removed.',
  'own.revoke_token': 'The token is revoked.',
  'own.sign_out_everywhere': 'You are signed out everywhere.',
};
