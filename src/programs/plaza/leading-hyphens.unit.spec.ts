import { describe, expect, it } from '@jest/globals';
import type { Command, Option } from 'commander';
import { withIdentifiersLast } from './leading-hyphens.js';
import { commandLine } from './program.js';

const ID = '-k3Jx0aZ_9-pQw7Lm2Vt5B';
const OTHER = `-${ID.slice(0, 21)}`;

describe('an identifier that begins with a hyphen', () => {
  it.each([ID, OTHER])('is an argument after the name of a command: %s', (id) => {
    const args = ['account', 'erase', id, '--reason', 'a test', '--json'];
    expect(withIdentifiersLast(args)).toEqual(['account', 'erase', '--reason', 'a test', '--json', '--', id]);
  });

  it('is an argument after an option without a value', () => {
    expect(withIdentifiersLast(['post', 'restrict', '--json', ID])).toEqual([
      'post',
      'restrict',
      '--json',
      '--',
      ID,
    ]);
    const optionsOf = ({ commands, options }: Command): readonly Option[] => [
      ...options,
      ...commands.flatMap(optionsOf),
    ];
    const flags = optionsOf(commandLine()).filter(
      ({ required, optional, long }) => !required && !optional && long !== '--version',
    );
    for (const { long } of flags)
      expect(withIdentifiersLast(['x', long ?? '', ID])).toEqual(['x', long, '--', ID]);
  });

  it('keeps its place among other arguments', () => {
    expect(withIdentifiersLast(['resolve', 'dir', 'a', ID, 'b', '--reason', 'a test', 'c'])).toEqual([
      'resolve',
      'dir',
      'a',
      '--reason',
      'a test',
      '--',
      ID,
      'b',
      'c',
    ]);
  });

  it('is the value of the option before it', () => {
    const args = ['audit', '--wait', '--actor', ID, '--post', OTHER, '--json'];
    expect(withIdentifiersLast(args)).toEqual([
      'audit',
      '--wait',
      `--actor=${ID}`,
      `--post=${OTHER}`,
      '--json',
    ]);
  });

  it('may be a term of a search', () => {
    expect(withIdentifiersLast(['audit', '--since=1h', '-type:post.*', '--csv', '-type:grant.*'])).toEqual([
      'audit',
      '--since=1h',
      '--csv',
      '--',
      '-type:post.*',
      '-type:grant.*',
    ]);
  });

  it.each([
    [['account', 'erase', '--', ID]],
    [['account', 'create', '--display-name', 'A', '--password-stdin']],
    [['projections', 'status', '--json']],
  ])('is left alone after --, like all other arguments: %j', (args) => {
    expect(withIdentifiersLast(args)).toEqual(args);
  });
});
