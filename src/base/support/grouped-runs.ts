interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer | PromiseLike<Answer>) => void;
}

/**
 * Answers several callers by one run of `work`: those who ask during a run share the next one, which begins after they
 * asked. `work` returns an answer for each of those, in their order; if it rejects, it does so to each.
 */
export class GroupedRuns<Asked, Answer> {
  private waiting: Waiting<Asked, Answer>[] = [];
  private isRunning = false;

  constructor(private readonly work: (asked: readonly Asked[]) => Promise<readonly Answer[]>) {}

  run(asked: Asked): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.waiting.push({ asked, resolve });
    if (!this.isRunning) void this.runAll();
    return promise;
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0) {
      const group = this.waiting;
      this.waiting = [];
      const answers = this.work(group.map(({ asked }) => asked));
      for (const [index, { resolve }] of group.entries())
        resolve(answers.then((all) => answerAt(all, index)));
      await answers.catch(() => undefined);
    }
    this.isRunning = false;
  }
}

function answerAt<Answer>(answers: readonly Answer[], index: number): Answer {
  if (index >= answers.length)
    throw new Error(`a shared run gave ${answers.length} answers, and none for its caller ${index + 1}`);
  return answers[index] as Answer;
}
