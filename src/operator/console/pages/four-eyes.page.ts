import { html } from '../../../pages/html.js';
import type { ActiveOperators } from '../../approvals/four-eyes.js';
import { consolePage } from '../layout.js';
import type { Frame } from '../layout.js';
import { mayDo } from '../may.js';
import { actForm, facts, textField } from '../parts.js';

interface Shown {
  readonly batchItems: number | null;
  readonly active: ActiveOperators;
}

export function fourEyesPage(frame: Frame, { batchItems, active }: Shown): string {
  const { proof, session } = frame;
  const isOn = batchItems !== null;
  const content = html`<section class="card" aria-labelledby="four-eyes">
    <h1 id="four-eyes">Four-eyes is ${isOn ? 'on' : 'off'}</h1>
    <p>
      While it is on, another operator must approve: the erasure of an account within a day, large batches, a
      recovery that reseeds the witness, each new administrator, and turning it off.
    </p>
    ${facts([
      ['largest batch without an approval', isOn ? String(batchItems) : 'any'],
      ['active administrators', String(active.administrators)],
      ['active moderators', String(active.moderators)],
    ])}
    ${
      mayDo(session, 'four_eyes.turn_on')
        ? actForm({
            action: '/console/four-eyes/on',
            button: isOn ? 'Change the largest batch' : 'Turn it on',
            proof,
            id: 'on',
            reason: 'optional',
            fields: textField({
              id: 'batch-items',
              name: 'batchItems',
              label: 'Largest batch without an approval',
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
