/**
 * Runs in the browser: asks for a passkey and sends the form with the answer. The options of the browser's question are
 * in the form, so that the page needs no request.
 */
export const passkeyScript = `'use strict';
(() => {
  const form = document.querySelector('form[data-passkey]');
  if (!form) return;
  const fault = document.getElementById('passkey-fault');
  const say = (text) => {
    fault.textContent = text;
    fault.hidden = false;
  };
  const faults = {
    NotAllowedError: 'Nothing was sent: you cancelled, or the time is over. Try again.',
    InvalidStateError: 'This device has a passkey of yours already. Sign in with it.',
    SecurityError: 'Passkeys need https, or the address localhost.',
  };
  const { passkey, options } = form.dataset;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    fault.hidden = true;
    try {
      const { PublicKeyCredential, navigator } = window;
      if (!PublicKeyCredential?.parseRequestOptionsFromJSON)
        return say('This browser is too old for passkeys, or the page is not at https or localhost.');
      const given = JSON.parse(options);
      const credential =
        passkey === 'create'
          ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(given) })
          : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(given) });
      form.elements.credential.value = JSON.stringify(credential);
      form.submit();
    } catch (error) {
      say(faults[error.name] ?? 'The browser made no passkey: ' + error.message);
    }
  });
})();
`;
