interface Group<Asked, Answer> {
  readonly asked: Asked[];
  readonly answers: Promise<readonly Answer[]>;
}

const MOST_ASKED = 256;

/**
 * Answers several callers by one run of `work`: those who ask during a run share the next one, which begins after they
 * asked, in the async context of the first of them. `work` returns an answer for each of those, in their order; if it
 * fails, it does so for each. `most`: callers of one run; further ones share the run after it.
 */
export class GroupedRuns<Asked, Answer> {
  /** The group that waits for its run, and that callers join. */
  private waiting: Group<Asked, Answer> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly work: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
    private readonly most = MOST_ASKED,
  ) {}

  async run(asked: Asked): Promise<Answer> {
    if (!this.waiting || this.waiting.asked.length >= this.most) this.waiting = this.wait();
    const { asked: all, answers } = this.waiting;
    const index = all.push(asked) - 1;
    const found = await answers;
    if (index >= found.length)
      throw new Error(`a shared run gave ${found.length} answers, and none for its caller ${index + 1}`);
    return found[index] as Answer;
  }

  private wait(): Group<Asked, Answer> {
    const asked: Asked[] = [];
    const answers = this.last.then(() => {
      if (this.waiting?.asked === asked) this.waiting = undefined;
      return this.work(asked);
    });
    this.last = answers.catch(() => undefined);
    return { asked, answers };
  }
}

/** Runs `work` once for all callers of a group, however many. */
export class SharedRuns<Result> extends GroupedRuns<void, Result> {
  constructor(work: () => Promise<Result>) {
    super(async (asked) => {
      const result = await work();
      return asked.map(() => result);
    }, Infinity);
  }
}
