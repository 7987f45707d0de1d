import { Fault } from '../fault.ts';
import { type Markup, markup, newIntent } from '../markup.ts';
import { settings as application } from '../settings.ts';
import { type Answer, goTo, type Member, type Routes } from '../visit.ts';
import { signOut } from './faults.ts';

const problems: Readonly<Record<string, string>> = {
  revision_conflict:
    'Your profile has changed elsewhere meanwhile. Save what you typed in place of that, or reload to see it.',
  effect_mismatch: 'This handle is taken. Choose another one.',
  invalid_website: 'The website must be empty, or an address that begins with https:// or http://.',
  invalid_text: 'A name has 1 to 64 characters, and the text about you at most 500.',
  invalid_request: 'A handle has 3 to 30 lowercase letters, digits or underscores.',
};

/** `typed`: a profile that was refused. */
async function settings(member: Member, typed = {}, problem?: string): Promise<Answer> {
  const { profile } = await member.ask((api) => api.GET('/api/profile'));
  const { handle, displayName, bio, website } = { ...profile, ...typed };
  const field = (name: string, label: string, input: Markup) =>
    markup`<div><label for="${name}">${label}</label>${input}</div>`;
  const content = markup`${problem && markup`<p class="problem" role="alert">${problem}</p>`}
<form class="card fields" method="post" action="/settings">${newIntent({ revision: profile.revision })}<h2>Profile</h2>
${field('name', 'Name', markup`<input id="name" name="displayName" value="${displayName}" required maxlength="256" autocomplete="name">`)}
${field(
  'own',
  'Handle',
  markup`<input id="own" name="handle" value="${handle ?? ''}" pattern="[a-z0-9_]{3,30}" autocapitalize="none" spellcheck="false"
autocomplete="username" aria-describedby="hint"><p class="hint" id="hint">Others find you by it, and you sign in with it. Leave it empty to show none.</p>`,
)}
${field('bio', 'About you', markup`<textarea id="bio" name="bio" rows="3" dir="auto">${bio}</textarea>`)}
${field('site', 'Website', markup`<input id="site" name="website" type="url" value="${website}" autocomplete="url" placeholder="https://">`)}
<button class="main">Save</button></form>
<section class="card"><h2>People and access</h2><p><a href="/blocks">People whom you block</a></p>
<p><a href="${application.baseUrl}/api/auth/account">Your account at the network</a>: password, notices and other applications</p></section>
<section class="card"><h2>Leave</h2><p>Signing out ends this session. Disconnecting also takes the right to act for you from this application, until you
sign in again. Your posts stay in both cases.</p><div class="bar">${signOut}<form method="post" action="/disconnect"><button class="danger">Disconnect</button></form></div></section>`;
  return { ...(await member.show('Settings', () => content)), status: problem === undefined ? 200 : 400 };
}

async function save(member: Member) {
  const { ask, copy, field, intentId, me } = member;
  const typed = {
    displayName: field('displayName'),
    bio: field('bio'),
    website: field('website'),
    handle: field('handle') || null,
  };
  try {
    await ask((api) =>
      api.PATCH('/api/profile', { body: { intentId, revision: Number(field('revision')), ...typed } }),
    );
  } catch (fault) {
    const problem = fault instanceof Fault ? problems[fault.code] : undefined;
    if (problem === undefined) throw fault;
    return settings(member, typed, problem);
  }
  copy.forgetPeople(me);
  return goTo(`/people/${me}`);
}

export const settingsRoutes: Routes<Member> = {
  'GET /settings': (member) => settings(member),
  'POST /settings': save,
};
