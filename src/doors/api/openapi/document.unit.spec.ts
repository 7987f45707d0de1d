import 'reflect-metadata';
import { Body, Controller, Get, Module, Param, Post, Query } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Mutation } from '../admission/mutation.guard.js';
import { intentId, pageLimit } from '../requests/fields.js';
import { documentOf } from './document.js';
import { Operation } from './operation.js';

const named = z.strictObject({ name: z.string() }).meta({ id: 'Named' });
const stones = z.strictObject({ stones: z.array(named) });
const newStone = z.strictObject({ intentId, size: z.int().optional() });
const page = z.object({ limit: pageLimit({ most: 20 }) });
const example = { stones: [{ name: 'quartz' }] };

@Controller('api/stones')
class StonesController {
  @Get(':place')
  @Operation({
    id: 'listStones',
    summary: 'List stones',
    access: { scope: 'read', anonymous: true },
    answer: stones,
    example,
    errors: ['not_found'],
  })
  list(@Param('place') _place: string, @Query({ schema: page }) _page: z.infer<typeof page>) {
    return example;
  }

  @Post()
  @Mutation('post:create', { publishes: true })
  @Operation({
    id: 'throwStone',
    summary: 'Throw a stone',
    answer: stones,
    example,
    bodyExample: { intentId: '1' },
  })
  throw(@Body({ schema: newStone }) _stone: z.infer<typeof newStone>) {
    return example;
  }
}

@Controller()
class OtherController {
  @Get('livez')
  live() {
    return 'ok';
  }
}

@Module({ controllers: [StonesController, OtherController] })
class StonesModule {}

describe('the document of a module', () => {
  const document = documentOf(StonesModule, 'https://network.example');
  const list = document.paths['/api/stones/{place}']?.['get'];
  const create = document.paths['/api/stones']?.['post'];
  const codesOf = (status: number) =>
    Object.keys(create?.responses[status]?.content?.['application/json']?.examples ?? {});

  it('has the operations below /api, and no others', () => {
    expect(Object.keys(document.paths).filter((path) => !path.includes('auth'))).toEqual([
      '/api/stones',
      '/api/stones/{place}',
    ]);
  });

  it('reads parameters and bodies from their validators, and names shared schemas once', () => {
    expect(list?.parameters).toMatchObject([
      { name: 'place', in: 'path', required: true },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 20 } },
      { name: 'x-network-min-revision', in: 'header' },
      { name: 'x-request-id', in: 'header' },
    ]);
    expect(create?.requestBody?.content['application/json']).toMatchObject({
      schema: { required: ['intentId'], additionalProperties: false },
      example: { intentId: '1' },
    });
    expect(list?.responses[200]?.content?.['application/json']?.schema).toMatchObject({
      properties: { stones: { type: 'array', items: { $ref: '#/components/schemas/Named' } } },
    });
    expect(document.components.schemas).toHaveProperty('Named');
  });

  it('lists the callers: by the rule of a read, and by the scope of a mutation', () => {
    expect(list?.security).toEqual([{ network: ['read'] }, {}]);
    expect(create?.security).toEqual([{ network: ['post:create'] }]);
  });

  it('gives each kind of operation its common codes and headers', () => {
    expect(codesOf(400)).toEqual([
      'intent_required',
      'invalid_json',
      'invalid_request',
      'unknown_or_immutable_field',
    ]);
    expect(codesOf(415)).toEqual(['invalid_json']);
    expect(codesOf(503)).toContain('publishing_paused');
    expect(Object.keys(list?.responses ?? {})).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '405',
      '409',
      '429',
      '500',
      '503',
    ]);
    expect(create?.responses[200]?.headers).toHaveProperty('x-network-write-revision');
    expect(list?.responses[200]?.headers).toHaveProperty('x-network-revision');
  });

  it('is not made if a handler below /api lacks a declaration', () => {
    @Controller('api/secrets')
    class SecretsController {
      @Get()
      list() {
        return [];
      }
    }
    @Module({ controllers: [SecretsController] })
    class SecretsModule {}
    expect(() => documentOf(SecretsModule, '')).toThrow('SecretsController.list is below /api: declare it');
  });

  it('is not made if two operations have the same name', () => {
    @Controller('api/copies')
    class CopiesController {
      @Get()
      @Operation({ id: 'getKeys', summary: 'Copy', access: { anonymous: true }, answer: stones, example })
      list() {
        return example;
      }
    }
    @Module({ controllers: [CopiesController] })
    class CopiesModule {}
    expect(() => documentOf(CopiesModule, '')).toThrow('two operations of the API have the same id: getKeys');
  });
});
