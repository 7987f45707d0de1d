/** The settings of a person: profile, blocks, and access. */
import { Fault } from '../fault.ts';
import { type Answer, type Markup, markup, newIntent } from '../markup.ts';
import { settings } from '../settings.ts';
import { goTo, type Routes, type Visit } from '../visit.ts';
import { signOut, texts } from './faults.ts';

/** `typed`: a profile that was refused. */
async function form({ ask, show }: Visit, typed = {}, problem: readonly string[] = []): Promise<Answer> {
  const { profile } = await ask((api) => api.GET('/api/profile'));
  const { blocks } = await ask((api) => api.GET('/api/blocks'));
  const { handle, displayName, bio, website } = { ...profile, ...typed };
  const isConflict = problem === texts.get('profile revision_conflict');
  const saved = `${profile.displayName}\n${profile.handle ?? 'no handle'}\n${profile.bio}\n${profile.website}`;
  const field = (name: string, label: string, input: Markup) =>
    markup`<div><label for="${name}">${label}</label>${input}</div>`;
  const own = markup`<input id="own" name="handle" value="${handle ?? ''}" pattern="[a-z0-9_]{3,30}" autocapitalize="none" spellcheck="false"
autocomplete="username" aria-describedby="hint"><p class="hint" id="hint">Others find you by it, and you sign in with it. Leave it empty to show none.</p>`;
  const blocked = blocks.map(
    (id) => markup`<li><span class="quiet">Somebody with the id ${id}</span>
<form method="post" action="/people/${id}/unblock">${newIntent()}<button>Unblock<span class="unseen"> ${id}</span></button></form></li>`,
  );
  const content = markup`${problem.length > 0 && markup`<p class="problem" role="alert">${problem.slice(1).join('. ')}</p>${isConflict && markup`<p class="hint">It says now:</p><blockquote class="kept" dir="auto">${saved}</blockquote>`}`}
<form class="card fields" method="post" action="/settings">${newIntent({ revision: profile.revision })}<h2>Profile</h2>
${field('name', 'Name', markup`<input id="name" name="displayName" value="${displayName}" required maxlength="256" autocomplete="name">`)}
${field('own', 'Handle', own)}
${field('bio', 'About you', markup`<textarea id="bio" name="bio" rows="3" dir="auto">${bio}</textarea>`)}
${field('site', 'Website', markup`<input id="site" name="website" type="url" value="${website}" autocomplete="url" placeholder="https://">`)}
<button class="main">Save</button></form>
<section class="card"><h2>People whom you block</h2><p>${blocks.length === 0 ? 'Nobody.' : 'The network does not tell their names.'}</p>
<ul class="people">${blocked}</ul></section>
<section class="card"><h2>Access</h2><p><a href="${settings.baseUrl}/api/auth/account">Your account at the network</a> has your password, notices, and the applications that act for you.</p>
${signOut}</section>`;
  return {
    ...(await show('Settings', () => content)),
    status: isConflict ? 409 : problem.length === 0 ? 200 : 400,
  };
}

async function save(visit: Visit) {
  const { ask, copy, field, intentId } = visit;
  const handle = field('handle') || null;
  const profile = { displayName: field('displayName'), bio: field('bio'), website: field('website'), handle };
  const body = { intentId, revision: Number(field('revision')), ...profile };
  try {
    await ask((api) => api.PATCH('/api/profile', { body }));
  } catch (fault) {
    const problem = fault instanceof Fault ? texts.get(`profile ${fault.code}`) : undefined;
    if (!problem) throw fault;
    return form(visit, profile, problem);
  }
  copy().forgetProfiles();
  return goTo(`/people/${copy().actorId}`);
}

export const profileRoutes: Routes = { 'GET /settings': (visit) => form(visit), 'POST /settings': save };
