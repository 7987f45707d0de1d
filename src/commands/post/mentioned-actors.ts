import { Injectable } from '@nestjs/common';
import { mentionedHandles } from '../../domain/post/mentions.js';
import { postText } from '../../domain/post/text.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import { aggregates, readState } from '../support/aggregates.js';
import { HandleDigest } from '../support/handle-digest.js';
import { OtherActors } from '../support/other-actors.js';

@Injectable()
export class MentionedActors {
  constructor(
    private readonly log: EventLog,
    private readonly digest: HandleDigest,
    private readonly others: OtherActors,
  ) {}

  /**
   * Returns the current holders of the handles in a text, or a refusal of the text. Leaves out the author and actors
   * that the author may not interact with: nobody is notified of a post that is hidden from them. Reads nothing for a
   * text without `@`. @throws {LogUnavailable}
   */
  async mentionedIn(rawText: string, authorActorId: string): Promise<readonly string[] | Refusal> {
    if (!rawText.includes('@')) return [];
    const text = postText(rawText);
    if (text instanceof Refusal) return text;
    const handles = mentionedHandles(text);
    if (handles instanceof Refusal) return handles;
    const found = await Promise.all(handles.map((handle) => this.mentioned(handle, authorActorId)));
    return found.filter((actorId) => actorId !== undefined);
  }

  private async mentioned(handle: string, authorActorId: string): Promise<string | undefined> {
    const actorId = await this.holderOf(handle);
    if (actorId === undefined || actorId === authorActorId) return undefined;
    return (await this.others.mayInteract(authorActorId, actorId)) ? actorId : undefined;
  }

  private async holderOf(handle: string): Promise<string | undefined> {
    const state = await readState(this.log, aggregates.handle(await this.digest.ofHandle(handle)));
    return state.status === 'held' ? state.actorId : undefined;
  }
}
