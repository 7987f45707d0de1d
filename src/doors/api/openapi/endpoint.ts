import { RequestMethod } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import {
  METHOD_METADATA,
  MODULE_METADATA,
  PATH_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { z } from 'zod';
import { mutationRuleOf } from '../admission/mutation.guard.js';
import { declarationOf } from './operation.js';
import type { Method } from './openapi.js';
import type { OperationDeclaration } from './operation.js';
import type { OperationTraits } from './shared-errors.js';

export interface Endpoint extends Omit<OperationDeclaration, 'access'>, OperationTraits {
  readonly path: string;
  readonly body?: z.ZodType | undefined;
  readonly query?: z.ZodType | undefined;
}

/** Paths of the OpenAPI document: all below `/api` but its own. */
const PUBLISHED = /^\/api\/(?!openapi\.json$)/;

/**
 * Returns the operations below `/api` of the controllers of a module.
 * @throws {Error} a handler there lacks `@Operation`.
 */
export function endpointsOf(module: Type): readonly Endpoint[] {
  const controllers = (Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, module) ?? []) as readonly Type[];
  return controllers.flatMap((controller) =>
    Object.entries(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(([name, { value }]) =>
      typeof value === 'function' && Reflect.hasMetadata(METHOD_METADATA, value)
        ? endpointOf(controller, name, value)
        : [],
    ),
  );
}

function endpointOf(controller: Type, name: string, handler: object): readonly Endpoint[] {
  const path = `/${[controller, handler].map(pathOf).filter(Boolean).join('/')}`;
  if (!PUBLISHED.test(path)) return [];
  const declaration = declarationOf(handler);
  const rule = mutationRuleOf(handler);
  const access = rule ? { scope: rule.scope, anonymous: false } : declaration?.access;
  if (!declaration || !access)
    throw new Error(
      `${controller.name}.${name} is below /api: declare it with @Operation and its access (see operation.ts)`,
    );
  return [
    {
      ...declaration,
      method: (RequestMethod[methodOf(handler)] ?? '').toLowerCase() as Method,
      path: path.replaceAll(/:([A-Za-z]+)/g, '{$1}'),
      access,
      mutates: rule !== undefined,
      publishes: rule?.publishes ?? false,
      body: schemaOf(controller, name, RouteParamtypes.BODY),
      query: schemaOf(controller, name, RouteParamtypes.QUERY),
    },
  ];
}

const pathOf = (target: object): string =>
  (Reflect.getMetadata(PATH_METADATA, target) as string).replaceAll(/^\/|\/$/g, '');

const methodOf = (handler: object): RequestMethod =>
  Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod;

interface Argument {
  readonly schema?: z.ZodType;
}

function schemaOf(controller: Type, name: string, type: RouteParamtypes): z.ZodType | undefined {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, Argument>;
  return Object.entries(args).find(([key]) => key.startsWith(`${type}:`))?.[1].schema;
}
