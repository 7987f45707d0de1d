import { Body, Controller, Get, Patch, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ownProfile as callersProfile } from '../../../../../projections/profile/profile.read-model.js';
import { ChangeProfile } from '../../../../commands/profile/change-profile.js';
import type { Authority } from '../../../../commands/support/intent.js';
import { ActingAuthority, Mutation } from '../../admission/mutation.guard.js';
import { ReadYourWrites } from '../../admission/read-your-writes.js';
import { ProtectedReads } from '../../admission/protected-reads.js';
import type { ReadRequest, ReadRule } from '../../admission/protected-reads.js';
import { HttpRefusal } from '../../../../server/errors.js';
import { baseRevision, boundBeforeNormalizing, intentId } from '../../requests/fields.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { ReadParameters } from '../../requests/read-request.js';
import { exampleOwnProfile, ownProfile } from './profile.resource.js';

const bearer: ReadRule = { scope: 'read', anonymous: false };

const oneProfile = z.strictObject({ profile: ownProfile }).meta({ id: 'OwnProfileAnswer' });

const text = z.string('must be a string');

const profileChange = z
  .strictObject({
    intentId,
    revision: baseRevision,
    handle: text
      .nullable()
      .optional()
      .meta({
        examples: ['ada', null],
        description:
          '3 to 30 lowercase letters, digits or underscores. Null: the profile shows no handle; its person keeps the last one to sign in with.',
      }),
    displayName: text
      .optional()
      .describe(
        `One line of 1 to 64 visible characters, trimmed and in NFC. ${boundBeforeNormalizing('256')}`,
      ),
    bio: text
      .optional()
      .describe(
        `Up to 500 code points, trimmed and in NFC, and no control characters except the line feed. ${boundBeforeNormalizing('2,000')}`,
      ),
    website: text
      .optional()
      .describe('Website of the profile: empty, or an absolute http(s) URL of up to 2,048 characters.'),
  })
  .meta({ id: 'ProfileChange' });

@Controller('api/profile')
export class ProfileController {
  constructor(
    private readonly reads: ProtectedReads,
    private readonly commands: CommandBus,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Get()
  @Operation({
    id: 'getOwnProfile',
    summary: "Read the caller's own profile",
    access: bearer,
    answer: oneProfile,
    example: { profile: exampleOwnProfile },
    published: { 404: 'not_found', 413: 'domain_plan_too_large', 415: 'invalid_json' },
  })
  async ownProfile(@ReadParameters() request: ReadRequest): Promise<AnswerOf<typeof oneProfile>> {
    const { result } = await this.reads.read(request, bearer, callersProfile, undefined);
    // The log has every live account, so only the read model can lack it: the read model is behind.
    if (!result)
      throw new HttpRefusal(
        'protected_read_unavailable',
        'The read models do not have your account yet; retry.',
      );
    return { profile: result };
  }

  @Patch()
  @Mutation('profile:write', { publishes: true })
  @Operation({
    id: 'changeOwnProfile',
    summary: "Change the caller's own profile",
    description:
      'An omitted field stays unchanged. The handle is also the name to sign in with. A replaced handle is free for others.',
    answer: oneProfile,
    example: { profile: exampleOwnProfile },
    bodyExample: { intentId: 'profile-1', revision: 1, bio: exampleOwnProfile.bio },
    errors: [
      'effect_mismatch',
      'invalid_text',
      'invalid_website',
      'not_found',
      'revision_conflict',
      'revision_required',
    ],
  })
  async change(
    @Body({ schema: profileChange }) body: z.infer<typeof profileChange>,
    @ActingAuthority() authority: Authority,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnswerOf<typeof oneProfile>> {
    const { intentId: id, ...change } = body;
    const { profile, position } = await this.commands.execute(
      new ChangeProfile({ ...authority, intentId: id }, change),
    );
    await this.readYourWrites.waitForProjection(authority.actorId, position);
    void reply.header('x-network-write-revision', String(position));
    const { actorId, handle, displayName, bio, website, revision } = profile;
    return { profile: { actorId, handle, displayName, bio, website, revision } };
  }
}
