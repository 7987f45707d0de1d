import { hiddenField, html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { ShownPreview } from '../batch-preview.js';
import type { BatchStatus, ListedBatch } from '../batch-status.js';
import { itemList, openCasesList } from './batch-items.js';
import { firstOf, itemNamed, sampledNamed } from '../../console/items.js';
import { named } from '../../console/names.js';
import { consolePage } from '../../console/layout.js';
import type { Frame, View } from '../../desk/page.js';
import { mayDo } from '../../console/may.js';
import { actForm, facts, state, textArea } from '../../console/parts.js';
import { progressBar, reloading } from '../../console/progress.js';
import { counted, numbers, table } from '../../console/tables.js';

export function batchesPage(frame: Frame, listed: readonly ListedBatch[]): string {
  const content = html`<section class="card" aria-labelledby="batches">
    <h1 id="batches">Batches</h1>
    <p>
      Many restrictions as one act, with a preview and an undo. Posts of an application: from its page, “What
      it did”.
    </p>
    ${mayDo(frame.session, 'batch.request') ? accountsForm(frame) : undefined}
    ${
      listed.length === 0
        ? html`<p>None yet.</p>`
        : table(
            'The newest batches',
            ['batch', 'state', 'through', 'requested', 'by', 'why'],
            listed.map((batch) => [
              html`<a href="/console/batches/${batch.batchId}">${titleOf(batch)}</a>`,
              batch.state,
              batch.appId === null ? '' : named.application(batch.appId),
              timeElement(batch.requestedAt),
              requester(batch),
              html`<bdi>${batch.reason ?? 'unknown'}</bdi>`,
            ]),
          )
    }
  </section>`;
  return consolePage('Batches', content, frame);
}

const titleOf = ({ kind, items }: Pick<ListedBatch, 'kind' | 'items'>): string =>
  `${kind === 'posts' ? 'Restriction' : 'Suspension'} of ${counted(items, kind)}`;

const accountsForm = ({ proof }: Frame): Html =>
  actForm({
    action: '/console/batches/preview',
    button: 'Preview a suspension of accounts',
    proof,
    id: 'suspend-accounts',
    fields: html`${hiddenField('kind', 'accounts')}
    ${textArea({
      id: 'actor-ids',
      name: 'actorIds',
      label: 'Actor ids',
      hint: 'One a line, at most 2,000.',
      maxLength: 50_000,
    })}`,
  });

/** `asked`: the fields of the previewed form, for the request of exactly that. */
export function previewPage(frame: Frame, preview: ShownPreview, asked: ReadonlyMap<string, string>): string {
  const { kind, items, sample, left, recused, digest, from, until } = preview;
  // A time ago would be another one when the request arrives.
  const exact = new Map([
    ...asked,
    ...(from === undefined || until === undefined
      ? []
      : ([
          ['from', new Date(from).toISOString()],
          ['until', new Date(until).toISOString()],
        ] as const)),
  ]);
  const act = `${kind === 'posts' ? 'Restrict' : 'Suspend'} exactly ${items === 1 ? 'this' : 'these'} ${counted(items, kind)}`;
  const content = html`<section class="card" aria-labelledby="preview">
    <h1 id="preview">Preview: ${counted(items, kind)}</h1>
    <p>
      Nothing has changed yet.
      ${from === undefined || until === undefined ? undefined : html`Posts from ${timeElement(from)} to ${timeElement(until)}.`}
    </p>
    ${firstOf(
      sample.map((item) => sampledNamed(kind, item)),
      items,
    )}
    ${itemList('Left out, as they are suspended, erased or unknown:', left.map(named.person))}
    ${recusedItems(kind, recused)} ${openCasesList(preview.openCases)}
    ${
      items === 0
        ? undefined
        : actForm({
            action: '/console/batches',
            button: act,
            proof: frame.proof,
            id: 'request',
            reason: 'required',
            fields: html`${[...exact].map(([name, value]) => hiddenField(name, value))}
            ${hiddenField('digest', digest)}`,
          })
    }
    <p class="quiet small">digest ${digest}</p>
  </section>`;
  return consolePage('Preview of a batch', content, frame);
}

const recusedItems = (kind: ListedBatch['kind'], recused: readonly string[]): Html | undefined =>
  itemList(
    `Skipped, as the operator of the batch made a decision about ${recused.length === 1 ? 'it' : 'them'} that was appealed, so another operator must decide:`,
    recused.map((id) => itemNamed(kind, id)),
  );

const requester = ({ operatorId }: Pick<ListedBatch, 'operatorId'>) =>
  operatorId === null ? 'unknown' : named.operator(operatorId);

export const isBatchRunning = ({ state: is }: ListedBatch): boolean => is === 'applying' || is === 'undoing';

export function batchPage(frame: Frame, batch: BatchStatus, { isReloading }: View): string {
  const { batchId, kind, items, done, state: is, appId, applied, undo, undone } = batch;
  const one = `/console/batches/${batchId}`;
  const recused = is === 'undone' ? [] : (applied?.recused ?? []);
  const all = (is === 'undone' ? undone : applied)?.skipped ?? [];
  const skipped = all.filter((id) => !recused.includes(id));
  const isUndoable = (is === 'applying' || is === 'applied') && mayDo(frame.session, 'batch.undo');
  const content = html`<section class="card" aria-labelledby="batch">
    <h1 id="batch">${titleOf(batch)} ${state(is, false)}</h1>
    ${isBatchRunning(batch) ? html`${progressBar('Progress of the batch', done, items)} ${reloading(one, isReloading)}` : undefined}
    ${facts([
      ['id', html`<a href="/console/log/plaza_batch-${batchId}"><code>${batchId}</code></a>`],
      ...(appId === null
        ? []
        : [
            [
              'application',
              html`${named.application(appId)}:
                <a href="/console/applications/${appId}/impact">what it did</a>`,
            ] as const,
          ]),
      ['requested', timeElement(batch.requestedAt)],
      ['by', requester(batch)],
      ['why', batch.reason ?? 'unknown'],
      ...(applied ? [['restricted', numbers.format(applied.changed)] as const] : []),
      ...(undo
        ? ([
            ['undo requested', timeElement(undo.requestedAt)],
            ['undo by', requester(undo)],
            ['why undone', undo.reason ?? 'unknown'],
          ] as const)
        : []),
      ...(undone ? [['lifted again', numbers.format(undone.changed)] as const] : []),
    ])}
    ${itemList(
      'Skipped, as somebody acted on them:',
      skipped.map((id) => itemNamed(kind, id)),
      false,
    )}
    ${recusedItems(kind, recused)} ${openCasesList(batch.openCases)}
    ${
      isUndoable && !isReloading
        ? actForm({
            action: `${one}/undo`,
            button: 'Undo the batch',
            proof: frame.proof,
            id: 'undo',
            reason: 'required',
          })
        : undefined
    }
  </section>`;
  return consolePage(titleOf(batch), content, frame);
}
