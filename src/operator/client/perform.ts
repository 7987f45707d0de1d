import { Option } from 'commander';
import { answerList, printResult } from '../../base/terminal/output.js';
import type { Act } from '../desk/act.js';
import { optionOf } from '../desk/option-names.js';
import type { AnswerOf, GivenTo } from './calls.js';
import { operatorClientOf } from './command-options.js';
import type { OperatorOptions } from './command-options.js';
import { withNames } from './with-names.js';
import type { NamesInLines } from './names-in-lines.js';

const fieldOf = new Map(
  Object.entries(optionOf).map(([field, flag]) => [new Option(flag).attributeName(), field]),
);

/**
 * Makes actions of commands that perform one act each: the arguments of the command are the parameters of its address, the options
 * are the fields of its input. `lines`: the answer for a person.
 */
export const performing =
  <Rows extends readonly Act[]>() =>
  <Route extends Rows[number]['route']>(
    route: Route,
    lines: (
      answer: AnswerOf<Rows[number], Route>,
      id: string,
      given: GivenTo<Rows[number], Route>,
      names: NamesInLines,
    ) => readonly string[],
  ) =>
  async (...parsed: readonly unknown[]): Promise<void> => {
    const options = parsed.at(-2) as OperatorOptions;
    const { json: _json, as: _as, ...own } = options;
    const names = [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    const given = Object.fromEntries([
      ...names.map((name, at) => [name, parsed[at]] as const),
      ...Object.entries(own).map(([name, value]) => [fieldOf.get(name) ?? name, value] as const),
    ]);
    const api = operatorClientOf(options);
    const answer = (await api.call(route, given)) as AnswerOf<Rows[number], Route>;
    const shown = await withNames(api, options, (names) =>
      lines(answer, String(parsed[0]), given as GivenTo<Rows[number], Route>, names),
    );
    if (Array.isArray(answer)) answerList(options, answer, () => shown);
    else printResult(options, answer, shown);
  };
