import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';
import { faultNames } from '../soak/faults.ts';
import { runsLongTests } from '../support/long_tests.ts';
import { npmScript } from '../support/npm_script.ts';
import type { Report } from '../soak/report.ts';

const folder = mkdtempSync(join(tmpdir(), 'flow-soak-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the same program as `npm run soak`. */
const soak = (...args: string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, npmScript('soak', ...args), { cwd: projectDir }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });

it.runIf(runsLongTests)('a short soak causes every fault, and its auditor finds nothing', async () => {
  const jsonFile = join(folder, 'report.json');
  const { code, output } = await soak('--minutes', '0.2', '--seed', '1', '--json', jsonFile);
  expect(output).toContain('The auditor found nothing.');
  expect(code).toBe(0);
  const report: Report = JSON.parse(readFileSync(jsonFile, 'utf8'));
  expect(report.seed).toBe(1);
  expect(report.findings).toEqual({ counts: {}, first: [] });
  // The following checks prove that every kind of load was there, and that every fault occurred.
  expect(Object.keys(report.faults).toSorted()).toEqual(faultNames.toSorted());
  expect(report.start_latency_ms.calm.count).toBeGreaterThan(5);
  expect(report.start_latency_ms.during_faults.count).toBeGreaterThan(5);
  expect(Object.keys(report.runs)).toEqual(expect.arrayContaining(['failed', 'succeeded']));
  expect(Object.keys(report.requests)).toEqual(
    expect.arrayContaining(['start', 'deploy', 'output', 'GET flow_run', 'PATCH flows', 'DELETE flow_deployments']),
  );
}, 600_000);

it.runIf(runsLongTests)('a failover loses nothing, and refuses starts for seconds at most', async () => {
  const jsonFile = join(folder, 'failover.json');
  const { code, output } = await soak('--failover', '--minutes', '0.2', '--seed', '1', '--json', jsonFile);
  expect(output).toContain('The auditor found nothing.');
  expect(code).toBe(0);
  const report: Report = JSON.parse(readFileSync(jsonFile, 'utf8'));
  expect(report.faults['primary_lost']?.count).toBe(1);
  expect(report.faults['postgres_restarted']).toBeUndefined();
  expect(report.starts_refused_ms).toBeLessThan(20_000);
}, 600_000);

it('a wrong command line ends with the usage', async () => {
  const { code, output } = await soak('--minutes', 'all day');
  expect(code).toBe(1);
  expect(output).toMatch(/^--minutes all day: must be a number/m);
  expect(output).not.toMatch(/\bat .*:\d+/);
});
