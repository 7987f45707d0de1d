import { z } from 'zod';
import { identifier, timestamp } from '../../requests/values.js';

export const relationKind = z.enum(['follow', 'like']).meta({ id: 'RelationKind' });

export const relation = z
  .strictObject({
    kind: relationKind,
    actorId: identifier,
    targetId: identifier.describe('Identifier of the followed actor, or of the liked post.'),
    targetActorId: identifier.describe("The followed actor, or the liked post's author."),
    generation: z
      .string()
      .regex(/^[1-9][0-9]*$/)
      .describe('How many times this follow or like has been made, from 1.'),
    createdAt: timestamp,
  })
  .meta({ id: 'Relation', description: 'A follow or a like.' });

/** A follow or like in a reconcile view or a feed event, which lack its time. */
export const relationInView = relation
  .omit({ createdAt: true })
  .meta({ id: 'RelationInView', description: 'A follow or a like, in a view of the network.' });

export const exampleRelationInView = {
  kind: 'follow',
  actorId: 'Lx8pW4tE1cD5',
  targetId: 'Rk3vQ0yN7aB2',
  targetActorId: 'Rk3vQ0yN7aB2',
  generation: '1',
} as const;

export const exampleRelation = { ...exampleRelationInView, createdAt: 1_763_690_000_000 } as const;
