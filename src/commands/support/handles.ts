import { Inject } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { CommandHandler } from '@nestjs/cqrs';
import type { Command } from '@nestjs/cqrs';
import { WriteSide } from './write-side.js';

type ClassOf<Part> = abstract new (...args: never) => Part;

type Parts<Tokens> = {
  readonly [Name in keyof Tokens]: Tokens[Name] extends ClassOf<infer Part> ? Part : never;
};

interface Handler<Sent, Result> {
  execute(sent: Sent): Promise<Result>;
}

const handled = new WeakSet<ClassOf<unknown>>();

/**
 * Returns the handler of a command, a provider for `commands.module.ts`. `tokens`: what the rule needs besides the write
 * side. A process whose modules provide none of them does not start.
 * @throws {Error} the command has a handler already: the bus of Nest would take the later one, and say so to a logger
 * that is off.
 */
export function handles<Sent, Result>(
  command: ClassOf<Sent & Command<Result>>,
  run: (sent: Sent, write: WriteSide) => Promise<Result>,
): Type<Handler<Sent, Result>>;
export function handles<Sent, Result, Tokens extends Record<string, ClassOf<unknown>>>(
  command: ClassOf<Sent & Command<Result>>,
  tokens: Tokens,
  run: (sent: Sent, write: WriteSide, parts: Parts<Tokens>) => Promise<Result>,
): Type<Handler<Sent, Result>>;
export function handles(
  command: ClassOf<Command<unknown>>,
  ...given: readonly [Run] | readonly [tokens: Readonly<Record<string, ClassOf<unknown>>>, run: Run]
): Type<Handler<Command<unknown>, unknown>> {
  const [tokens, run] = given.length === 1 ? [{}, ...given] : given;
  if (handled.has(command)) throw new Error(`${command.name} has two handlers; remove one.`);
  handled.add(command);

  const names = Object.keys(tokens);
  const Made = class implements Handler<Command<unknown>, unknown> {
    private readonly parts: Readonly<Record<string, unknown>>;

    constructor(
      private readonly write: WriteSide,
      ...parts: readonly unknown[]
    ) {
      this.parts = Object.fromEntries(names.map((name, index) => [name, parts[index]]));
    }

    async execute(sent: Command<unknown>): Promise<unknown> {
      return run(sent, this.write, this.parts);
    }
  };
  // Nest names it where a token is missing.
  Object.defineProperty(Made, 'name', { value: `${command.name}Handler` });
  for (const [index, token] of [WriteSide, ...Object.values(tokens)].entries())
    Inject(token)(Made, undefined, index);
  CommandHandler(command as Type<Command<unknown>>)(Made);
  return Made;
}

type Run = (
  sent: Command<unknown>,
  write: WriteSide,
  parts: Readonly<Record<string, unknown>>,
) => Promise<unknown>;
