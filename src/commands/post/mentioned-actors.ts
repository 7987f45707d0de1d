import { evolveHandle, freeHandle } from '../../domain/account/account.js';
import type { HandleEvent } from '../../domain/account/account.js';
import { mentionedHandles } from '../../domain/post/mentions.js';
import { postText } from '../../domain/post/text.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import { streams } from '../../log/streams.js';
import { newestOf } from '../support/handle-command.js';
import { HandleDigest } from '../support/handle-digest.js';
import { InteractionPolicy } from '../support/interaction-policy.js';

/** Finds out whom a text mentions. Without an `@` in it that costs nothing. */
export class MentionedActors {
  constructor(
    private readonly log: EventLog,
    private readonly digest: HandleDigest,
    private readonly facts: InteractionPolicy,
  ) {}

  /**
   * Who holds the handles that a text names now, but for its author and whoever the author may not deal with: nobody is
   * told of what they may not see. A refusal: what is wrong with the text. @throws {LogUnavailable}
   */
  async in(given: string, authorActorId: string): Promise<readonly string[] | Refusal> {
    if (!given.includes('@')) return [];
    const text = postText(given);
    if (text instanceof Refusal) return text;
    const handles = mentionedHandles(text);
    if (handles instanceof Refusal) return handles;
    const found = await Promise.all(handles.map((handle) => this.mentioned(handle, authorActorId)));
    return found.filter((actorId) => actorId !== undefined);
  }

  private async mentioned(handle: string, authorActorId: string): Promise<string | undefined> {
    const actorId = await this.holderOf(handle);
    if (actorId === undefined || actorId === authorActorId) return undefined;
    return (await this.facts.mayInteract(authorActorId, actorId)) ? actorId : undefined;
  }

  private async holderOf(handle: string): Promise<string | undefined> {
    const stream = streams.handle(await this.digest.ofHandle(handle));
    const [newest] = await newestOf(this.log, stream);
    const state = newest ? evolveHandle(freeHandle, newest.event as HandleEvent) : freeHandle;
    return state.status === 'held' ? state.actorId : undefined;
  }
}
