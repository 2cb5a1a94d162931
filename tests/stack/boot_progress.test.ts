import { expect, it } from 'vitest';
import { makeBootProgress } from '../../dev/stack/parts/boot_progress.ts';
import { waitFor } from '../support/wait.ts';

it('a slow boot reports its parts, and each part that becomes ready', async () => {
  const lines: string[] = [];
  const progress = makeBootProgress((line) => lines.push(line), 1);
  const boots = new Map<string, (answer: string) => void>();
  const parts = ['Postgres', 'function runner', 'function flow'].map((name) =>
    progress.track(name, new Promise<string>((resolve) => boots.set(name, resolve)))
  );
  boots.get('Postgres')!('a database');
  expect(await parts[0]).toBe('a database');
  await waitFor(() => lines.length > 0 || undefined);
  expect(lines).toEqual(['Still booting: function runner, function flow.']);
  boots.get('function runner')!('');
  await parts[1];
  expect(lines.slice(1)).toEqual([expect.stringMatching(/^function runner is ready after \d+\.\d s\.$/)]);
  progress.end();
  boots.get('function flow')!('');
  await parts[2];
  expect(lines).toHaveLength(2);
});

it('a fast boot reports nothing', async () => {
  const lines: string[] = [];
  const progress = makeBootProgress((line) => lines.push(line), 60_000);
  await progress.track('Postgres', Promise.resolve());
  progress.end();
  expect(lines).toEqual([]);
});
