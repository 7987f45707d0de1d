import { Script } from './layout.js';

/**
 * Runs in the browser: a button with `data-passkey` asks for a passkey, and sends its form with the answer. The options of
 * the browser's question are at the button, so that the page needs no request. A button or form that is hidden without a
 * script is shown where the browser knows passkeys.
 */
export const passkeyScript = `'use strict';
(() => {
  const { PublicKeyCredential, navigator } = window;
  const isKnown = PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined;
  const faults = {
    NotAllowedError: 'Nothing was sent: you cancelled, or the time is over. Try again.',
    InvalidStateError: 'This device has a passkey of yours already. Use that one.',
    SecurityError: 'Passkeys need https, or the address localhost.',
  };
  for (const button of document.querySelectorAll('button[data-passkey]')) {
    const { form, dataset } = button;
    const fault = form.querySelector('[data-fault]');
    const say = (text) => {
      fault.textContent = text;
      fault.hidden = false;
    };
    if (isKnown) button.hidden = form.hidden = false;
    form.addEventListener('submit', async (event) => {
      if (event.submitter !== button) return;
      event.preventDefault();
      fault.hidden = true;
      try {
        if (!isKnown) return say('This browser is too old for passkeys, or the page is not at https or localhost.');
        const given = JSON.parse(dataset.options);
        const credential =
          dataset.passkey === 'create'
            ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(given) })
            : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(given) });
        form.elements.credential.value = JSON.stringify(credential);
        form.submit();
        // On the way back to this page, an old answer would be sent instead of a typed password.
        form.elements.credential.value = '';
      } catch (error) {
        say(faults[error.name] ?? 'The browser made no passkey: ' + error.message);
      }
    });
  }
})();
`;

export const passkeys = new Script(passkeyScript);
