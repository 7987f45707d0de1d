import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { shapeText } from './shape-text.js';

describe('the published shape of an answer', () => {
  it.each([
    [z.strictObject({ id: z.string(), at: z.number().optional() }), '{ id: string, at?: number }'],
    [z.array(z.string().nullable()).readonly(), '(string | null)[]'],
    [z.array(z.strictObject({ isMore: z.boolean() })), '{ isMore: boolean }[]'],
    [z.array(z.strictObject({ name: z.string().nullable() })), '{ name: string | null }[]'],
    [z.union([z.number(), z.literal('off')]), 'number | "off"'],
    [z.strictObject({ state: z.enum(['open', 'closed']) }).nullable(), '{ state: "open" | "closed" } | null'],
    [z.record(z.string(), z.unknown()), '{ [name]: unknown }'],
    [z.instanceof(Uint8Array).describe('bytes'), 'bytes'],
  ])('is written as in TypeScript: %#', (schema, text) => {
    expect(shapeText(schema)).toBe(text);
  });
});
