import { z } from 'zod';

/** Answers of the operator API about the network as of a moment. Times are Unix milliseconds. */

const asOfStatus = z.object({
  position: z.number(),
  at: z.number(),
  state: z.enum(['requested', 'building', 'built', 'failed']),
  step: z.string().nullable(),
  done: z.number(),
  total: z.number().nullable(),
  rate: z.number().nullable(),
  secondsLeft: z.number().nullable(),
  message: z.string().nullable(),
  keptUntil: z.number().nullable(),
});

const texts = z.enum(['public', 'disclosed', 'hidden', 'erased']);

const post = z.looseObject({
  id: z.string(),
  authorActorId: z.string(),
  createdAt: z.number(),
  eventId: z.string().nullable(),
  texts,
  text: z.string().nullable(),
});

const listOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), more: z.boolean() });

const entry = z.looseObject({ kind: z.string(), sourceActorId: z.string(), createdAt: z.number() });

const asOfView = z.object({
  position: z.number(),
  at: z.number(),
  note: z.string(),
  handles: z.record(z.string(), z.string()),
  profile: z.looseObject({
    actorId: z.string(),
    state: z.enum(['active', 'suspended']),
    eventId: z.string().nullable(),
    texts,
    fields: z.record(z.string(), z.string().nullable()).nullable(),
    followers: z.number().nullable(),
    following: z.number().nullable(),
    posts: z.number().nullable(),
  }),
  timeline: listOf(post),
  posts: listOf(post),
  following: listOf(z.string()),
  followers: listOf(z.string()),
  blocks: listOf(z.string()),
  inbox: listOf(entry).extend({ unread: z.number() }),
});

/** `view`: undefined until the build is made. */
export const asOfAnswer = z.object({ actor: z.string(), build: asOfStatus, view: asOfView.optional() });

export type AsOfStatusAnswer = z.infer<typeof asOfStatus>;
export type AsOfViewAnswer = z.infer<typeof asOfView>;
export type AsOfPostAnswer = z.infer<typeof post>;
