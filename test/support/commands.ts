import { PARAMTYPES_METADATA, SELF_DECLARED_DEPS_METADATA } from '@nestjs/common/constants.js';
import type { Type } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { commandHandlers } from '../../src/commands/commands.module.js';

const handlers = new Map(commandHandlers.map((handler) => [handler.name, handler]));

type Token = abstract new (...args: never) => unknown;

/** The stores and other parts of commands, by their tokens. */
type CommandParts = Iterable<readonly [Token, unknown]>;

export type Commands = Pick<CommandBus, 'execute'>;

/**
 * Makes what consists of these parts, such as the commands, without a module of Nest. Everything else comes from `app`;
 * without one it is undefined, for commands that do not need it.
 */
export function madeOf(
  parts: CommandParts,
  app?: { get(token: Token): unknown },
): <Part>(token: Type<Part>) => Part {
  const made = new Map(parts);
  const part = (token: Token): unknown => {
    if (!made.has(token)) made.set(token, partsOf(token) ? make(token as Type) : app?.get(token));
    return made.get(token);
  };
  const make = (metatype: Type): unknown => new metatype(...(partsOf(metatype) ?? []).map(part));
  made.set(CommandBus, {
    execute: (command: object) =>
      (part(handlers.get(`${command.constructor.name}Handler`)!) as ICommandHandler).execute(command),
  });
  return <Part>(token: Type<Part>) => part(token) as Part;
}

/** The commands on these parts, as in {@link madeOf}. */
export const commandsOn = (...given: Parameters<typeof madeOf>): Commands => madeOf(...given)(CommandBus);

function partsOf(token: Token): readonly Token[] | undefined {
  const typed = Reflect.getMetadata(PARAMTYPES_METADATA, token) as readonly Token[] | undefined;
  const injected = Reflect.getMetadata(SELF_DECLARED_DEPS_METADATA, token) as
    | readonly { readonly index: number; readonly param: Token }[]
    | undefined;
  if (!typed && !injected) return undefined;
  const all = [...(typed ?? [])];
  for (const { index, param } of injected ?? []) all[index] = param;
  return all;
}
