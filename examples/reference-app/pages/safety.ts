import { Fault } from '../fault.ts';
import { markup, newIntent } from '../markup.ts';
import { goTo, type Member, type Routes } from '../visit.ts';
import { empty } from './layout.ts';

async function askToBlock(member: Member) {
  const path = { actorId: member.id };
  const { actor } = await member.ask((api) => api.GET('/api/actors/{actorId}', { params: { path } }));
  const content = markup`<div class="card"><p>You and <b><bdi>${actor.displayName}</bdi></b> no longer see each other: no posts, profiles, replies or
inbox entries, in any application. Follows between you end, and unblocking does not bring them back. The network does not tell them.</p>
<form class="bar" method="post">${newIntent()}<a class="button" href="/people/${member.id}">Leave it</a><button class="danger">Block</button></form></div>`;
  return member.show('Block this person?', () => content);
}

const block =
  (isWanted: boolean) =>
  async ({ ask, copy, id, intentId }: Member) => {
    const path = { actorId: id };
    await ask((api) =>
      isWanted
        ? api.PUT('/api/blocks/{actorId}', { params: { path }, body: { intentId } })
        : api.DELETE('/api/blocks/{actorId}', { params: { path, query: { intentId } } }),
    );
    copy.forgetPeople();
    return goTo(isWanted ? '/' : '/blocks');
  };

async function blocks(member: Member) {
  const { blocks: ids } = await member.ask((api) => api.GET('/api/blocks'));
  const rows = ids.map(
    (id) => markup`<li><span class="quiet">Somebody with the id ${id}</span>
<form method="post" action="/people/${id}/unblock">${newIntent()}<button>Unblock<span class="unseen"> ${id}</span></button></form></li>`,
  );
  const none = empty('block', 'You block nobody', markup`<a href="/settings">Back to the settings</a>`);
  const list = markup`<p class="hint">The network does not tell the names of people whom you block.</p><ul class="people">${rows}</ul>`;
  return member.show('Blocked people', () => (ids.length > 0 ? list : none));
}

const reasons = [
  ['spam', 'It is spam'],
  ['harassment', 'It harasses somebody'],
  ['illegal', 'It is against the law'],
  ['impersonation', 'It pretends to be somebody else'],
  ['other', 'Something else'],
] as const;

function askToReport(member: Member) {
  const { searchParams } = member.visit.url;
  const [postId, actorId] = [searchParams.get('post'), searchParams.get('actor') ?? ''];
  const choices = reasons.map(
    ([reason, label]) =>
      markup`<label class="choice"><input type="radio" name="reason" value="${reason}" required> ${label}</label>`,
  );
  const content = markup`<form class="card fields" method="post" action="/report">${newIntent(postId === null ? { actorId } : { postId })}
<p>The operators of the network read it. The person does not learn who reported.</p>
<fieldset><legend>What is wrong with ${postId === null ? 'this person' : 'this post'}?</legend>${choices}</fieldset>
<div><label for="text">What should they know? <span class="quiet">(if you like)</span></label><textarea id="text" name="text" rows="3" dir="auto"></textarea></div>
<button class="main">Send the report</button></form>`;
  return member.show('Report', () => content);
}

async function report(member: Member) {
  const { ask, field, intentId } = member;
  const [reason] = reasons.find(([each]) => each === field('reason')) ?? [];
  if (!reason) throw new Fault(400, 'invalid_report');
  const subject = field('postId') === '' ? { actorId: field('actorId') } : { postId: field('postId') };
  const body = { intentId, reason, text: field('text'), ...subject };
  await ask((api) => api.POST('/api/reports', { body }));
  const thanks = empty(
    'flag',
    'Your report has arrived',
    markup`The operators look at it. <a href="/">Home</a>`,
  );
  return member.show('Thank you', () => thanks);
}

export const safetyRoutes: Routes<Member> = {
  'GET /people/:id/block': askToBlock,
  'POST /people/:id/block': block(true),
  'POST /people/:id/unblock': block(false),
  'GET /blocks': blocks,
  'GET /report': askToReport,
  'POST /report': report,
};
