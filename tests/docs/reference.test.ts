import { describe, expect, it } from 'vitest';
import { nodeIds } from '../../runner/nodes/registry.ts';
import { generatedDocs } from '../../dev/docs/docs.ts';
import { metricNames } from '../../dev/docs/reference/metrics_page.ts';
import { paragraph } from '../../dev/docs/reference/page.ts';
import { asSuperuser } from '../support/tokens.ts';

const pageOf = (name: string): string => generatedDocs().find(({ file }) => file.endsWith(`/${name}`))!.text;

describe('docs/reference', () => {
  it('lists the metrics of the database', async () => {
    const [row] = await asSuperuser((sql) => sql<{ metrics: object }[]>`select private.runner_metrics() as metrics`);
    expect(metricNames().toSorted()).toEqual(Object.keys(row!.metrics).toSorted());
  });

  it('has a section for every native node', () => {
    const sections = [...pageOf('nodes.md').matchAll(/^### (\w+)$/gm)].map(([, name]) => name!);
    const families = new Set(nodeIds().map((id) => id.replace(/^rhai_script_\dx\d$/, 'rhai_script_NxM')));
    expect(sections.toSorted()).toEqual([...families].toSorted());
  });
});

describe('paragraph', () => {
  it('breaks lines at 120 characters, and never within code', () => {
    const code = '`code with spaces`';
    const lines = paragraph(`- ${Array.from({ length: 20 }, () => `word ${code}`).join(' ')}`).split('\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.every((line) => line.length <= 120 && (line.match(/`/g)?.length ?? 0) % 2 === 0)).toBe(true);
    expect(lines.slice(1).every((line) => line.startsWith('  '))).toBe(true);
  });
});
