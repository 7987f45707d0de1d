/** The alert rules, the dashboard and docs/metrics.md name metrics and labels that exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { WorkerMetrics } from '../../programs/worker/probes/worker-metrics.js';
import { ProcessMetrics } from '../../base/telemetry/process-metrics.js';
import { Metrics } from './metrics.js';

const root = new URL('../../../', import.meta.url);
const fileOf = (path: string) => readFileSync(new URL(path, root), 'utf8');
const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

/** Every metric of the processes of a network, with its labels. */
function declaredMetrics(): ReadonlyMap<string, readonly string[]> {
  const process = new ProcessMetrics();
  process.reportDisk('.');
  void new Metrics(process);
  void new WorkerMetrics(process, {});
  void process.text();
  const declared = process.registry
    .getMetricsAsArray()
    .map((metric) => [metric.name, (metric as unknown as { labelNames: string[] }).labelNames] as const);
  return new Map(declared);
}

interface Query {
  readonly where: string;
  readonly expr: string;
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

const rules = (parse(fileOf('docker/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const { panels } = JSON.parse(fileOf('docker/grafana/plaza.json')) as { panels: Panel[] };
const targets = panels.flatMap(({ title, targets: all = [] }) =>
  all.map((target) => ({ where: title, ...target })),
);

const queries: readonly Query[] = [
  ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
  ...targets.map(({ where, expr }) => ({ where, expr })),
];

/** A name is not followed by a parenthesis, as a function is, and not a label in braces or behind `by`. */
const metricsIn = (expr: string) =>
  found(
    expr.replaceAll(/\{[^}]*\}|\b(?:by|on|without)\s*\([^)]*\)|\[[^\]]*\]|"[^"]*"/g, ''),
    /\b([a-z]\w*_\w+)\b(?!\s*\()/g,
  );

const labelsIn = (expr: string) => [
  ...found(expr, /\{([^}]*)\}/g).flatMap((matchers) => found(matchers, /(\w+)\s*(?:=~|!~|!=|=)/g)),
  ...found(expr, /\b(?:by|on)\s*\(([^)]*)\)/g).flatMap((list) =>
    list.split(',').map((label) => label.trim()),
  ),
];

/** Added by Prometheus. */
const ofTarget = ['instance', 'job'];

const base = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

describe('a query of the alert rules and the dashboard', () => {
  it.each(queries)('names existing metrics and labels: $where', ({ expr }) => {
    const declared = declaredMetrics();
    const names = metricsIn(expr);
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !declared.has(name) && !declared.has(base(name)))).toEqual([]);
    const labels = names.flatMap((name) => declared.get(name) ?? declared.get(base(name)) ?? []);
    const allowed = new Set([...labels, ...ofTarget, ...(expr.includes('_bucket') ? ['le'] : [])]);
    expect(labelsIn(expr).filter((label) => !allowed.has(label))).toEqual([]);
  });

  it('names existing commands', () => {
    const files = readdirSync(new URL('src/commands', root), { recursive: true, encoding: 'utf8' });
    const commands = new Set(
      files
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) =>
          found(fileOf(`src/commands/${file}`), /^export class (\w+) extends \w*Command\b/gm),
        ),
    );
    const named = queries.flatMap(({ expr }) => found(expr, /command=~?"([^"]+)"/g));
    expect(named).not.toEqual([]);
    expect(named.flatMap((names) => names.split('|')).filter((name) => !commands.has(name))).toEqual([]);
  });

  it.each(targets)('has its labels in its legend: $where', ({ expr, legendFormat }) => {
    const kept = expr.includes(' by (') ? labelsIn(expr) : ofTarget;
    expect(found(legendFormat, /\{\{(\w+)\}\}/g).filter((label) => !kept.includes(label))).toEqual([]);
  });
});

describe('an alert rule', () => {
  it('names a section of the runbook', () => {
    const sections = found(fileOf('docs/recovery.md') + fileOf('docs/metrics.md'), /^#+ (.+)$/gm);
    const named = rules.map(({ annotations }) => /See "([^"]+)"/.exec(annotations.summary)?.[1]);
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => name === undefined || !sections.includes(name))).toEqual([]);
  });
});

describe('docs/metrics.md', () => {
  const rows = fileOf('docs/metrics.md')
    .split('\n')
    .filter((line) => /^\| `(?:plaza|http|db)_/.test(line));
  const listed = new Map(
    rows.map((row) => {
      const [name = '', ...cells] = row.split('|').slice(1, -1);
      const labels = cells.find((cell) => /^(?:\s*`\w+`,?)+\s*$/.test(cell)) ?? '';
      return [found(name, /`(\w+)`/g)[0] ?? '', found(labels, /`(\w+)`/g)] as const;
    }),
  );

  it('lists every metric of Plaza with its labels, and no other', () => {
    const declared = [...declaredMetrics()].filter(([name]) => /^(plaza|http|db)_/.test(name));
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(declared));
  });
});
