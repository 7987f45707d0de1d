/** The alert rules for Prometheus name gauges that exist and sections of the runbook that say what to do. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';

const fileOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const rules = fileOf('docker/alerts.yml');
const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

describe('an alert rule', () => {
  it('uses only existing gauges', async () => {
    const text = await new Metrics().text({
      isLogUp: false,
      isLogFull: false,
      isDatabaseFull: false,
      status: undefined,
      state: undefined,
      unsettled: undefined,
      unproven: undefined,
      isLogCompared: false,
      job: undefined,
    });
    const gauges = found(text, /^# TYPE (\w+) gauge$/gm);
    const asked = found(rules, /\b(plaza_\w+)/g);
    expect(asked.length).toBeGreaterThan(4);
    expect(asked.filter((name) => !gauges.includes(name))).toEqual([]);
  });

  it('names a section of the runbook', () => {
    const sections = found(fileOf('docs/recovery.md'), /^#+ (.+)$/gm);
    const alerts = found(rules, /alert: (\w+)/g);
    const named = found(rules, /summary: .*See "([^"]+)"/g);
    expect(named).toHaveLength(alerts.length);
    expect(named.filter((name) => !sections.includes(name))).toEqual([]);
  });
});
