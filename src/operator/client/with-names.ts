import type { OutputOptions } from '../../base/terminal/output.js';
import { isOnTerminal } from '../../base/terminal/output.js';
import { Failure, Refused } from '../../base/terminal/failure.js';
import { terminal } from '../../base/terminal/terminal.js';
import { namedIds } from '../desk/names.js';
import type { NamedIds, Names } from '../desk/names.js';
import { idsAlone, namesInLines } from './names-in-lines.js';
import type { NamesInLines } from './names-in-lines.js';
import type { OperatorClient } from './operator-client.js';

type Noun = keyof NamedIds;

/**
 * Lines with names, on a terminal. What goes into a file or to another program has ids alone: no erasure reaches it there. `lines` is
 * called twice, the first time to learn which ids it has.
 */
export async function withNames(
  api: OperatorClient,
  { json }: OutputOptions,
  lines: (names: NamesInLines) => readonly string[],
): Promise<readonly string[]> {
  if (json || !isOnTerminal()) return lines(idsAlone);
  const wanted = new Map<string, readonly [Noun, string]>();
  const note = (noun: Noun, id: string) => {
    wanted.set(`${noun} ${id}`, [noun, id]);
    return id;
  };
  const unnamed = lines({ named: note, nameOf: note });
  const names = await fetchNames(api, [...wanted.values()]);
  return names ? lines(namesInLines(names)) : unnamed;
}

/** So many ids of 64 characters fit into a body. */
const MOST_IDS = 500;

/** Undefined: the credential may not see people, the server is of an older release, or a store does not answer. */
async function fetchNames(
  api: OperatorClient,
  wanted: readonly (readonly [Noun, string])[],
): Promise<Names | undefined> {
  const all: Names = { actors: {}, applications: {}, operators: {}, posts: {} };
  try {
    for (let at = 0; at < wanted.length; at += MOST_IDS) {
      const part = wanted.slice(at, at + MOST_IDS);
      const found = (await api.call('POST /operator/names', { ...namedIds(part) })) as Names;
      for (const noun of Object.keys(all) as Noun[]) Object.assign(all[noun], found[noun]);
    }
    return all;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (!(error instanceof Refused)) terminal().stderr.write(`names are missing: ${error.message}\n`);
    return undefined;
  }
}
