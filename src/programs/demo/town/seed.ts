import { inParallel } from '../../../base/support/in-parallel.js';
import { Failure } from '../../../base/terminal/failure.js';
import { api } from '../api.js';
import type { Call } from '../api.js';
import { DeadEnd } from '../browser.js';
import { signIn } from '../sign-in.js';
import { accountsWith, reasonOf, townActsOf, withTokenAdvice } from './acts.js';
import type { TownActs } from './acts.js';
import { APPLICATION, readyApplication } from './application.js';
import type { DemoNetwork } from './network.js';
import { GUEST, planTown, REPORTER, SPAMMER } from './plan.js';
import type { PlannedPost, TownPlan } from './plan.js';
import { newTown, readTown, writeTown } from './town-file.js';
import type { Town, TownApplication } from './town-file.js';

/** Requests at a time. Each person has the budgets of an application's person, and comes near none. */
const AT_ONCE = 12;

interface Inhabitant {
  readonly actorId: string;
  readonly call: Call;
}

interface CreatedPost {
  readonly post: { readonly id: string };
}

/** A town that is being made. Each step has an intent of its own, so that a second run repeats none. */
class Building {
  constructor(
    private readonly town: Town,
    private readonly people: readonly Inhabitant[],
  ) {}

  async follow(follows: TownPlan['follows']): Promise<void> {
    await inParallel(follows, AT_ONCE, async ({ from, to }) => {
      const { actorId } = this.person(to);
      await this.person(from).call(
        'PUT',
        `/api/relations/follow/${actorId}`,
        this.intent('follow', from, to),
      );
    });
  }

  /** Returns the id of the post that began it. */
  async talk(thread: readonly PlannedPost[], at: number): Promise<string> {
    const ids: string[] = [];
    for (const [index, { by, text, parent, editedTo, likedBy }] of thread.entries()) {
      const { call } = this.person(by);
      const parentId = parent === undefined ? undefined : ids[parent];
      const body = { text, audience: 'public', parentId };
      const { post } = await call<CreatedPost>('POST', '/api/posts', {
        ...this.intent('post', at, index),
        ...body,
      });
      ids.push(post.id);
      if (editedTo !== undefined)
        await call('PATCH', `/api/posts/${post.id}`, {
          ...this.intent('edit', at, index),
          revision: 1,
          text: editedTo,
        });
      for (const person of likedBy)
        await this.person(person).call(
          'PUT',
          `/api/relations/like/${post.id}`,
          this.intent('like', at, index, person),
        );
    }
    return ids[0] ?? '';
  }

  /** One person is a nuisance. */
  async object(postId: string): Promise<void> {
    const complaint = { postId, reason: 'spam', text: 'The same advertisement again.' };
    await this.person(REPORTER).call('POST', '/api/reports', { ...this.intent('report'), ...complaint });
    const { actorId } = this.person(SPAMMER);
    await this.person(GUEST).call('PUT', `/api/blocks/${actorId}`, this.intent('block'));
  }

  private person(index: number): Inhabitant {
    const found = this.people[index];
    if (!found) throw new Error(`the town has no person ${index}`);
    return found;
  }

  private intent(...parts: readonly (string | number)[]) {
    return { intentId: intentOf(this.town, ...parts) };
  }
}

const intentOf = ({ tag }: Town, ...parts: readonly (string | number)[]): string =>
  ['demo', tag, ...parts].join('-');

/**
 * Makes a town of `size` people, or finishes the one that an earlier run began. The operator API makes its application and its accounts; all
 * else are requests of the people, through the application.
 * @throws {Failure} and as the acts do; what is made stays, and a second run goes on from there.
 */
export async function seedTown(
  network: DemoNetwork,
  size: number,
  tell: (sentence: string) => void,
): Promise<Town & { readonly application: TownApplication }> {
  const { config, operator } = network;
  const plan = planTown(size);
  let town = readTown(config.dataDir) ?? newTown(plan);
  if (town.people.length !== size)
    throw new Failure(
      `the demo on ${config.dataDir} (DATA_DIR) has ${town.people.length} people and not ${size}; to have others, remove it first: plaza demo --remove`,
    );
  const acts = townActsOf(operator);
  const keep = (change: Partial<Town>): void => {
    town = { ...town, ...change };
    writeTown(config.dataDir, town);
  };
  if (!town.isComplete) {
    const created = await accountsWith(acts, reasonOf(town), { alone: true });
    keep({});
    const application = await readyApplication(network, acts, town);
    keep({ application });
    await build(network, { acts, town, plan, application, created }, tell).catch((error: unknown) => {
      const reason = withTokenAdvice(error);
      if (!(reason instanceof Failure)) throw reason;
      const ways =
        'The demo is unfinished: the same command goes on, and plaza demo --remove erases its people';
      throw new Failure(`${reason.message}. ${ways}`, { cause: error });
    });
    keep({ isComplete: true });
  }
  const application = await readyApplication(network, acts, town);
  if (application.port !== town.application?.port) keep({ application });
  return { ...town, application };
}

interface Entry {
  readonly acts: TownActs;
  readonly town: Town;
  readonly plan: TownPlan;
  readonly application: TownApplication;
  /** Accounts of an earlier run. */
  readonly created: readonly string[];
}

async function build(network: DemoNetwork, entry: Entry, tell: (sentence: string) => void): Promise<void> {
  const { town, plan } = entry;
  tell(`An operator registers ${APPLICATION.name}, and creates ${town.people.length} accounts.`);
  const building = new Building(town, await enter(network, entry));
  tell('Everybody has signed in, and follows a few others.');
  await building.follow(plan.follows);
  tell(`They post, reply and like: ${plan.threads.flat().length} posts in ${plan.threads.length} threads.`);
  const others = [...plan.threads.keys()].filter((at) => !plan.newest.includes(at));
  for (const threads of [others, plan.newest])
    await inParallel(threads, AT_ONCE, async (at) => {
      const postId = await building.talk(plan.threads[at] ?? [], at);
      if (at === SPAMMER) await building.object(postId);
    });
}

/** Creates the accounts that are missing, and signs everybody in. */
async function enter(
  { config: { baseUrl } }: DemoNetwork,
  { acts, town, plan, application, created }: Entry,
): Promise<readonly Inhabitant[]> {
  const names = await acts.call('POST /operator/names', { actors: created });
  const handles = new Set(Object.values(names.actors).map(({ handle }) => handle));
  const people: Inhabitant[] = [];
  await inParallel([...town.people.entries()], AT_ONCE, async ([index, person]) => {
    const { handle, displayName, password } = person;
    const account = { ...person, email: `${handle}@example.org`, reason: reasonOf(town) };
    if (!handles.has(handle)) await acts.call('POST /operator/accounts', account);
    const { clientId, clientSecret, port } = application;
    const grant = { clientId, clientSecret, redirectUri: `http://localhost:${port}/callback` };
    const { access_token: token } = await signIn(baseUrl, {
      ...grant,
      handle,
      password,
      scope: APPLICATION.scopes.join(' '),
    }).catch((cause: unknown) => {
      if (!(cause instanceof DeadEnd)) throw cause;
      const { status, url } = cause.page;
      const wait = status === 429 ? ', as one address begins no more sign-ins in ten minutes' : '';
      throw new Failure(`${displayName} cannot sign in: ${url.pathname} answered ${status}${wait}`, {
        cause,
      });
    });
    const call = api(baseUrl, token);
    const { actorId } = await call<{ readonly actorId: string }>('GET', '/api/session');
    const profile = { intentId: intentOf(town, 'profile'), revision: 1, bio: plan.people[index]?.bio };
    await call('PATCH', '/api/profile', profile);
    people[index] = { actorId, call };
  });
  return people;
}
