import { z } from 'zod';
import { identifier, revisionField, timestamp } from '../../requests/values.js';

const publicFields = {
  actorId: identifier,
  handle: z.string().nullable(),
  displayName: z.string(),
  bio: z.string(),
  website: z.string().describe('Website of the actor: empty, or an absolute http(s) URL.'),
};

export const ownProfile = z
  .strictObject({ ...publicFields, revision: revisionField })
  .meta({ id: 'OwnProfile', description: "The caller's own profile." });

export const actor = z
  .strictObject({
    ...publicFields,
    createdAt: timestamp,
    followers: z.int().min(0),
    following: z.int().min(0),
    posts: z.int().min(0).describe('Number of published posts of the actor, replies included.'),
  })
  .meta({ id: 'Actor', description: 'The public profile of an actor.' });

export const actorSummary = z
  .strictObject({ actorId: identifier, handle: z.string(), displayName: z.string() })
  .meta({ id: 'ActorSummary', description: 'An actor in a list.' });

export const exampleActorSummary = { actorId: 'Rk3vQ0yN7aB2', handle: 'ada', displayName: 'Ada' };

const examplePublicFields = {
  ...exampleActorSummary,
  bio: 'Keeper of lamps.',
  website: 'https://ada.example/',
};

export const exampleOwnProfile = { ...examplePublicFields, revision: 2 };

export const exampleActor = {
  ...examplePublicFields,
  createdAt: 1_763_600_000_000,
  followers: 12,
  following: 7,
  posts: 31,
};
