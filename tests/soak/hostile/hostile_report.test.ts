import { expect, it } from 'vitest';
import { makeFindings } from '../findings.ts';
import { formatHostileReport, judgeHostility, makeHostileReport } from './hostile_report.ts';
import type { Experience } from './victim.ts';

const experience = (ms: number, change: Partial<Experience> = {}): Experience => ({
  starts: [ms, ms],
  runs: [ms * 2, ms * 2],
  troubles: [],
  ...change,
});

function judge(attacked: Experience, { mib = 100, part = 'runner', attacks = 1 } = {}): string[] {
  const given = {
    seed: 1,
    minutes: 2,
    pressure: 3,
    seconds: 3.5,
    cpu: { calm: { runner: 0.01 }, attacked: { runner: 0.8 } },
    calm: experience(10),
    attacked,
    memory: { calm: { [part]: 60 }, attacked: { [part]: mib } },
    tallies: Array.from({ length: attacks }, (_, index) => ({
      name: 'an attack',
      statuses: { 400: index === 0 ? 7 : 0 },
      largestAnswer: 10,
      slowest: 1.4,
    })),
  };
  const findings = makeFindings();
  judgeHostility(given, findings);
  const text = formatHostileReport(makeHostileReport(given, findings));
  expect(text).toContain('an attack');
  expect(text).toContain('3 connections, 2 requests a second');
  expect(text).toContain('0.01 → 0.8');
  expect(text).toContain(`60 → ${mib} MiB`);
  return Object.keys(findings.counts());
}

it('a hostile soak finds nothing if another user is slowed down at most five times by one attack, and 25 by several', () => {
  expect(judge(experience(50))).toEqual([]);
  expect(judge(experience(250), { attacks: 2 })).toEqual([]);
  expect(judge(experience(251), { attacks: 2 })).toEqual(['starts_slowed_down', 'runs_slowed_down']);
});

it('a hostile soak finds slower, failed and missing starts and runs', () => {
  expect(judge(experience(51))).toEqual(['starts_slowed_down', 'runs_slowed_down']);
  expect(judge(experience(10, { starts: [10, 51] }))).toEqual(['starts_slowed_down']);
  expect(judge(experience(10, { troubles: ['answered 503'] }))).toEqual(['trouble']);
  expect(judge(experience(10, { runs: [] }))).toEqual(['no_runs']);
});

it('a hostile soak finds a process with too much memory', () => {
  expect(judge(experience(10), { mib: 641 })).toEqual(['memory']);
  expect(judge(experience(10), { mib: 1_024, part: 'PostgREST' })).toEqual([]);
  expect(judge(experience(10), { mib: 1_025, part: 'PostgREST' })).toEqual(['memory']);
});
