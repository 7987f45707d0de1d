import { html } from '../../../base/pages/html.js';
import type { EstablishedOperators } from '../../desk/approvals/four-eyes.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { mayDo } from '../../console/may.js';
import { actForm, facts, textField } from '../../console/parts.js';

interface Shown {
  readonly batchItems: number | null;
  readonly active: EstablishedOperators;
}

export function fourEyesPage(frame: Frame, { batchItems, active }: Shown): string {
  const { proof, session } = frame;
  const isOn = batchItems !== null;
  const content = html`<section class="card" aria-labelledby="four-eyes">
    <h1 id="four-eyes">Four-eyes is ${isOn ? 'on' : 'off'}</h1>
    <p>
      While it is on, another operator must approve: each erasure by an operator, restrictions above the
      number of one operator in 24 hours, a recovery that reseeds the witness, each new operator, role and
      return, and turning it off.
    </p>
    ${facts([
      ['restrictions without an approval', isOn ? `${batchItems} of one operator in 24 hours` : 'any'],
      ['administrators who can approve', String(active.administrators)],
      ['moderators who can approve', String(active.moderators)],
    ])}
    ${
      mayDo(session, 'four_eyes.turn_on')
        ? actForm({
            action: '/console/four-eyes/on',
            button: isOn ? 'Change the number' : 'Turn it on',
            proof,
            id: 'on',
            reason: 'optional',
            fields: textField({
              id: 'batch-items',
              name: 'batchItems',
              label: 'Restrictions of one operator in 24 hours without an approval',
              value: String(batchItems ?? 100),
            }),
          })
        : undefined
    }
    ${
      isOn && mayDo(session, 'four_eyes.turn_off')
        ? actForm({
            action: '/console/four-eyes/off',
            button: 'Turn it off',
            proof,
            id: 'off',
            reason: 'optional',
          })
        : undefined
    }
  </section>`;
  return consolePage('Four-eyes', content, frame);
}
