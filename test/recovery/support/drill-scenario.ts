import { randomUUID } from 'node:crypto';
import { allScopes } from '../../../src/domain/grant/scopes.js';
import { Browser } from '../../../src/programs/demo/browser.js';
import { outcomeOf } from '../../api/support/operations.js';
import { password, registerApplication } from '../../support/api.js';
import { personWithToken } from '../../support/people.js';
import type { Application, SignedIn } from '../../support/api.js';
import { deletePost } from '../../support/posts.js';
import { follow, post } from '../../support/social.js';
import type { TestNetwork } from '../../support/network.js';
import { answerOf } from './operator.js';

/** A post with its intent, under which it can be repeated without a duplicate. */
export interface CreatedPost {
  readonly intentId: string;
  readonly text: string;
  readonly id: string;
}

/**
 * People and posts, and restrictions between them that {@link DrillScenario.applyRestrictions} adds after a backup.
 */
export class DrillScenario {
  /** Created after the backup, and lost with the log. */
  lostPost: CreatedPost | undefined;
  /** Created and deleted after the backup: the witness knows only the deletion. */
  lostDeletedPost: CreatedPost | undefined;

  private constructor(
    private readonly network: TestNetwork,
    readonly application: Application,
    /** Blocks ben, deletes a post, and has another restricted. */
    readonly ana: SignedIn,
    /** Follows ana, who blocks him. */
    readonly ben: SignedIn,
    /** Is suspended. */
    readonly cleo: SignedIn,
    /** Is erased. */
    readonly dan: SignedIn,
    /** Disconnects her application. */
    readonly eve: SignedIn,
    /** Reads, and follows ana. */
    readonly fay: SignedIn,
    /** Posts of ana: one stays, she deletes one, and an operator restricts one. */
    readonly kept: CreatedPost,
    readonly deleted: string,
    readonly restricted: string,
    readonly ofDan: string,
    /** A reply of fay to dan's post. */
    readonly reply: string,
  ) {}

  static async create(network: TestNetwork): Promise<DrillScenario> {
    const application = await registerApplication(network);
    const scope = allScopes.filter((each) => each !== 'offline_access').join(' ');
    const person = () => personWithToken(network, application, scope);
    const [ana, ben, cleo] = [await person(), await person(), await person()];
    const [dan, eve, fay] = [await person(), await person(), await person()];
    await follow(ben, ana);
    await follow(ana, ben);
    await follow(fay, dan);
    const kept = await createPost(ana, 'A day like any other');
    const deleted = await post(ana, 'CreatedPost in anger');
    const restricted = await post(ana, 'Buy my pills');
    const ofDan = await post(dan, 'Here lives Dan');
    const reply = await post(fay, 'So you do', { parentId: ofDan });
    return new DrillScenario(
      network,
      application,
      ana,
      ben,
      cleo,
      dan,
      eve,
      fay,
      kept,
      deleted,
      restricted,
      ofDan,
      reply,
    );
  }

  /** Adds one restriction of every kind, then posts that the backup lacks. */
  async applyRestrictions(): Promise<void> {
    const { network, ana, ben, cleo, dan, eve, fay } = this;
    expectSuccess(await ana.put(`/api/blocks/${ben.actorId}`, { intentId: randomUUID() }));
    expectSuccess(await deletePost(ana, this.deleted));
    await disconnect(network, eve);
    for (const command of [
      ['account', 'suspend', cleo.actorId],
      ['account', 'erase', dan.actorId],
      ['post', 'restrict', this.restricted],
    ])
      await answerOf(network, [...command, '--reason', 'a drill']);
    this.lostPost = await createPost(ana, 'Written after the backup');
    this.lostDeletedPost = await createPost(ana, 'Written after the backup, and regretted');
    expectSuccess(await deletePost(ana, this.lostDeletedPost.id));
    await follow(fay, ana);
  }

  /** The answers to everybody affected by a restriction. */
  async observe(): Promise<Readonly<Record<string, unknown>>> {
    const { ana, ben, cleo, dan, eve, fay } = this;
    const actor = (id: string) => `/api/actors/${id}`;
    const onePost = (id: string) => `/api/posts/${id}`;
    const replies = await fay.get(actor(fay.actorId) + '/posts');
    return {
      'the blocked one asks for who blocked him': outcomeOf(await ben.get(actor(ana.actorId))),
      'the blocked one asks for a post': outcomeOf(await ben.get(onePost(this.kept.id))),
      'the blocked one follows': outcomeOf(
        await ben.put(`/api/relations/follow/${ana.actorId}`, { intentId: randomUUID() }),
      ),
      'who blocked him lists whom she blocked': (await ana.get('/api/blocks')).body.blocks,
      'who blocked him is followed by': (await ana.get(actor(ana.actorId))).body.actor.following,
      'a reader asks for what was deleted': outcomeOf(await fay.get(onePost(this.deleted))),
      'a reader asks for what was restricted': outcomeOf(await fay.get(onePost(this.restricted))),
      'its author asks for what was restricted': outcomeOf(await ana.get(onePost(this.restricted))),
      'a disconnected application reads': outcomeOf(await eve.get('/api/profile')),
      'the suspended one reads': outcomeOf(await cleo.get('/api/profile')),
      'a reader asks for the suspended one': outcomeOf(await fay.get(actor(cleo.actorId))),
      'the erased one reads': outcomeOf(await dan.get('/api/profile')),
      'a reader asks for the erased one': outcomeOf(await fay.get(actor(dan.actorId))),
      'a reader asks for a post of the erased one': outcomeOf(await fay.get(onePost(this.ofDan))),
      'a reply to the erased one stands by itself': replies.body.posts.map(
        ({ id, parentUnavailable }: { id: string; parentUnavailable: boolean }) =>
          id === this.reply && parentUnavailable,
      ),
    };
  }
}

/** The result of {@link DrillScenario.observe} while every restriction holds. */
export const expectedObservations = (life: DrillScenario): Readonly<Record<string, unknown>> => ({
  'the blocked one asks for who blocked him': [404, 'not_found'],
  'the blocked one asks for a post': [404, 'post_unavailable'],
  'the blocked one follows': [403, 'interaction_unavailable'],
  'who blocked him lists whom she blocked': [life.ben.actorId],
  'who blocked him is followed by': 0,
  'a reader asks for what was deleted': [404, 'post_unavailable'],
  'a reader asks for what was restricted': [404, 'post_unavailable'],
  'its author asks for what was restricted': [404, 'post_unavailable'],
  'a disconnected application reads': [401, 'invalid_token'],
  'the suspended one reads': [403, 'social_authority_required'],
  'a reader asks for the suspended one': [404, 'not_found'],
  'the erased one reads': [401, 'invalid_token'],
  'a reader asks for the erased one': [404, 'not_found'],
  'a reader asks for a post of the erased one': [404, 'post_unavailable'],
  'a reply to the erased one stands by itself': [true],
});

/** Repeats the post under its intent, as an application does without an answer. */
export const repeatPost = (by: SignedIn, { intentId, text }: CreatedPost) => by.say(text, { intentId });

async function createPost(by: SignedIn, text: string): Promise<CreatedPost> {
  const intentId = randomUUID();
  return { intentId, text, id: await post(by, text, { intentId }) };
}

/** Disconnects the application at the account page. */
async function disconnect({ baseUrl }: TestNetwork, person: SignedIn): Promise<void> {
  const { handle } = (await person.get('/api/profile')).body.profile;
  const browser = new Browser(baseUrl);
  const signInPage = await browser.open(`${baseUrl}/api/auth/account`);
  const signInForm = signInPage.forms.find(({ fields }) => 'handle' in fields);
  if (!signInForm) throw new Error(`there is no form to sign in: ${signInPage.text}`);
  const account = await browser.submit(signInPage, signInForm, { handle, password });
  const form = account.forms.find(({ action }) => action.includes('disconnect'));
  if (!form) throw new Error(`nothing can be disconnected: ${account.text}`);
  await browser.submit(account, form, {});
}

function expectSuccess({ status, body }: { readonly status: number; readonly body: unknown }): void {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
}
