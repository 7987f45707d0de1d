/** The samples of a scrape, by name and labels as they are written. */
export class Scrape {
  private readonly samples: ReadonlyMap<string, number>;

  constructor(readonly text: string) {
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    this.samples = new Map(
      lines.map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
    );
  }

  static async of(port: string | number | undefined): Promise<Scrape> {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    if (answer.status !== 200) throw new Error(`the scrape was answered with ${answer.status}`);
    return new Scrape(await answer.text());
  }

  /** The sum of all samples of this name that have these labels. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return [...this.samples]
      .filter(([sample]) => sample === name || sample.startsWith(`${name}{`))
      .filter(([sample]) => wanted.every((label) => sample.includes(label)))
      .reduce((sum, [, value]) => sum + value, 0);
  }
}
