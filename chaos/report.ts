import { countFindings, findingKinds } from './checker/finding.js';
import type { Finding } from './checker/finding.js';
import type { RoundReport, TrialResult } from './trial.js';

const MOST_PRINTED = 5;
const LONGEST_EVIDENCE = 1_500;

/** Output of a run: lines for people, or a JSON object a line. */
export class Report {
  constructor(private readonly options: { readonly json?: true }) {}

  say(line: string, fields: object = {}): void {
    this.print(line, { message: line, ...fields });
  }

  round(report: RoundReport): void {
    const { round, fault, writesGoneMs, readsGoneMs, acknowledged } = report;
    const seconds = (ms: number) => `${(ms / 1_000).toFixed(1).padStart(5)} s`;
    this.print(
      `round ${String(round).padStart(3)}  ${fault.padEnd(34)} writes gone ${seconds(writesGoneMs)}  reads gone ${seconds(readsGoneMs)}  acknowledged ${acknowledged}`,
      report,
    );
  }

  notRun(name: string, why: string): void {
    this.print(`not run here: ${name} (${why})`, { notRun: name, why });
  }

  /** `rounds`: completed rounds. `kept`: location of the artifacts after a failure. */
  closing(result: TrialResult, { rounds, kept }: { rounds: number; kept?: string | undefined }): void {
    const { acknowledged, reads, events, findings } = result;
    const found = countFindings(findings);
    if (!this.options.json) for (const finding of findings.slice(0, MOST_PRINTED)) this.finding(finding);
    const counts = findingKinds.map((kind) => `${kind} ${found[kind]}`).join(', ');
    this.print(
      `${rounds} rounds, ${acknowledged} operations acknowledged, ${reads} reads, ${events} events: ${counts}` +
        (kept === undefined ? '' : `\nevidence and data are kept in ${kept}`),
      { rounds, acknowledged, reads, events, found, findings, kept },
    );
  }

  private finding({ kind, what, evidence }: Finding): void {
    this.print(
      `\n${kind.toUpperCase()}: ${what}\n${JSON.stringify(evidence, undefined, 1).slice(0, LONGEST_EVIDENCE)}\n`,
      {},
    );
  }

  private print(line: string, fields: object): void {
    console.log(this.options.json ? JSON.stringify(fields) : line);
  }
}
