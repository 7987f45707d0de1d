import type { DataSet } from './data-set.js';
import { FoldedPeople } from './folded-people.js';
import type { FoldableRow } from './folded-people.js';
import { readPeople, writePeople } from './people-file.js';
import { peopleFileOf } from './state.js';
import type { State } from './state.js';

export class Folding {
  private isChanged = false;

  private constructor(
    private readonly dataSet: DataSet,
    private readonly people: FoldedPeople,
    private last: number,
  ) {}

  /**
   * Undefined: nothing is folded, since older events were left out without a trace.
   * @throws {Failure} the file of the people was changed.
   */
  static async begin(dataSet: DataSet): Promise<Folding | undefined> {
    const { since } = dataSet.state;
    const folded = since === null ? 'nothing' : dataSet.state.folded;
    if (folded === undefined || folded === 'forgotten') return undefined;
    const file = peopleFileOf({ folded });
    const people = file ? await readPeople(dataSet.dir, file) : new FoldedPeople();
    return new Folding(dataSet, people, file?.last ?? 0);
  }

  fold(row: FoldableRow): void {
    this.people.fold(row);
    this.change(row);
  }

  /** For an erasure that is no older event: the person may have been folded. */
  erase(row: FoldableRow): void {
    if (this.people.erase(String(row['actor_id']))) this.change(row);
  }

  private change(row: FoldableRow): void {
    this.last = Math.max(this.last, Number(row['position']));
    this.isChanged = true;
  }

  /** Writes the people, if they changed, and returns what the next commit says of them. `since`: Unix milliseconds. */
  write(since: number): Pick<State, 'folded'> {
    const { dir, state } = this.dataSet;
    if (!this.isChanged) return {};
    this.people.forgetGrantsExpiredBy(since);
    const file = writePeople(dir, state.number + 1, this.people, this.last, this.dataSet.writeOptions());
    this.isChanged = false;
    return { folded: file };
  }
}
