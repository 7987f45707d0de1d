import { Fault } from '../fault.ts';
import { markup, newIntent } from '../markup.ts';
import type { Markup } from '../markup.ts';
import { settings as application } from '../settings.ts';
import { goTo } from '../visit.ts';
import type { Member, Routes } from '../visit.ts';
import { signOut } from './faults.ts';

interface Typed {
  readonly handle: string;
  readonly displayName: string;
  readonly bio: string;
  readonly website: string;
}

const problems: Readonly<Record<string, string>> = {
  revision_conflict:
    'Your profile has changed in another application or tab meanwhile. Below is what you typed: save it in place of that, or reload to see what is there.',
  effect_mismatch: 'This handle is taken. Choose another one.',
  invalid_website: 'The website must be empty, or an address that begins with https:// or http://.',
  invalid_text: 'A name has 1 to 64 characters, and the text about you at most 500.',
  invalid_request: 'A handle has 3 to 30 lowercase letters, digits or underscores.',
};

async function settings(member: Member, typed?: Typed, problem?: string) {
  const { profile } = await member.ask((api) => api.GET('/api/profile'));
  const { handle, displayName, bio, website } = typed ?? { ...profile, handle: profile.handle ?? '' };
  const field = (name: string, label: string, input: Markup, hint?: string) =>
    markup`<div><label for="${name}">${label}</label>${input}${hint && markup`<p class="hint">${hint}</p>`}</div>`;
  const page = await member.show(
    'Settings',
    () => [],
    () => markup`
${problem && markup`<p class="problem" role="alert">${problem}</p>`}
<form class="card fields" method="post" action="/settings">${newIntent({ revision: profile.revision })}<h2>Profile</h2>
${field('displayName', 'Name', markup`<input id="displayName" name="displayName" value="${displayName}" required maxlength="256" autocomplete="name">`)}
${field('new-handle', 'Handle', markup`<input id="new-handle" name="handle" value="${handle}" pattern="[a-z0-9_]{3,30}" autocapitalize="none" spellcheck="false" autocomplete="username">`, 'Others find you by it, and you sign in with it. Leave it empty to show none.')}
${field('bio', 'About you', markup`<textarea id="bio" name="bio" rows="3" dir="auto">${bio}</textarea>`)}
${field('website', 'Website', markup`<input id="website" name="website" type="url" value="${website}" autocomplete="url" placeholder="https://">`)}
<button class="main">Save</button></form>
<section class="card"><h2>People and access</h2><p><a href="/blocks">People whom you block</a></p>
<p><a href="${application.baseUrl}/api/auth/account">Your account at the network</a>: password, notices and other applications</p></section>
<section class="card"><h2>Leave</h2><p>Signing out ends this session. Disconnecting also takes the right to act for you from this application, until you
sign in again. Your posts stay in both cases.</p><div class="bar">${signOut}<form method="post" action="/disconnect">${newIntent()}<button class="danger">Disconnect</button></form></div></section>`,
  );
  return problem === undefined ? page : { ...page, status: 400 };
}

async function save(member: Member) {
  const { ask, copy, field, intentId, me } = member;
  const [displayName, bio, website, handle] = [
    field('displayName'),
    field('bio'),
    field('website'),
    field('handle'),
  ];
  const body = {
    intentId,
    revision: Number(field('revision')),
    displayName,
    bio,
    website,
    handle: handle === '' ? null : handle,
  };
  try {
    await ask((api) => api.PATCH('/api/profile', { body }));
  } catch (fault) {
    const problem = fault instanceof Fault ? problems[fault.code] : undefined;
    if (problem === undefined) throw fault;
    return settings(member, { displayName, bio, website, handle }, problem);
  }
  copy.forgetPeople(me);
  return goTo(`/people/${me}`);
}

export const settingsRoutes: Routes<Member> = {
  'GET /settings': (member) => settings(member),
  'POST /settings': save,
};
