import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import type { Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Command, CommandBus, CqrsModule } from '@nestjs/cqrs';
import { handles } from './handles.js';
import { WriteSide } from './write-side.js';

class Greetings {
  readonly word: string = 'hello';
}

class Greet extends Command<string> {
  constructor(readonly name: string) {
    super();
  }
}

const handler = handles(Greet, { greetings: Greetings }, ({ name }, write, { greetings }) =>
  Promise.resolve(`${greetings.word}, ${name}, at ${write.now()}`),
);

const writeSide = { provide: WriteSide, useValue: { now: () => 7 } };

async function start(...providers: readonly Provider[]) {
  @Module({ imports: [CqrsModule.forRoot()], providers: [...providers] })
  class TestModule {}
  return NestFactory.createApplicationContext(TestModule, { logger: false, abortOnError: false });
}

describe('a declared handler', () => {
  it('answers its command, with the write side and the parts that it names', async () => {
    const app = await start(handler, writeSide, Greetings);
    await expect(app.get(CommandBus).execute(new Greet('ada'))).resolves.toBe('hello, ada, at 7');
    await app.close();
  });

  it('fails the start where a part is missing, by the name of the command', async () => {
    await expect(start(handler, writeSide)).rejects.toThrow(/GreetHandler.*Greetings/s);
    await expect(start(handler, Greetings)).rejects.toThrow(/GreetHandler.*WriteSide/s);
  });

  it('is the only one of its command', () => {
    expect(() => handles(Greet, () => Promise.resolve(''))).toThrow('Greet has two handlers');
  });
});
