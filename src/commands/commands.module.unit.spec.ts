import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Command } from '@nestjs/cqrs';
import { commandHandlers } from './commands.module.js';

/** The classes of commands in all files beside this one. */
async function commandClasses(): Promise<string[]> {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const modules = await Promise.all(
    files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .map(async (file) => (await import(`./${file}`)) as Record<string, unknown>),
  );
  const exported = modules.flatMap((each) => Object.entries(each));
  return exported
    .filter(([, made]) => typeof made === 'function' && made.prototype instanceof Command)
    .map(([name]) => name);
}

describe('the commands', () => {
  it('have a handler each', async () => {
    const handled = commandHandlers.map(({ name }) => name.replace(/Handler$/, ''));
    // The class that the commands of cases extend has none.
    const declared = (await commandClasses()).filter((name) => name !== 'CaseCommand');
    expect(handled.toSorted()).toEqual(declared.toSorted());
  });
});
