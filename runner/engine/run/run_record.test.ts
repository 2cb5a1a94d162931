import { expect, it } from 'vitest';
import type { RunNode } from '../graph/graph.ts';
import { RunRecord } from './run_record.ts';

const MAX_CHARACTERS = 65_536;

const nodeAt = (index: number, title = `node ${index}`): RunNode =>
  ({ id: `id-${index}`, index, title, inputNames: [] }) as unknown as RunNode;

/** The error lines of a run whose nodes have failed with these messages. */
function errorsOf(messages: string[], halt?: string): string[] {
  const record = new RunRecord();
  for (const [index, error] of messages.entries()) {
    record.add({ node: nodeAt(index), times: 0, isElement: false, outcome: { error } as never, part: 'all' });
  }
  return record.result([], halt === undefined ? undefined : { status: 'failed', message: halt } as never).errors ?? [];
}
const lengthOf = (lines: string[]): number => lines.join('').length;

it('the errors of a run have a common limit: of long errors the beginning and the end are kept, with a note between', () => {
  const long = `boom: ${'é'.repeat(3_980)} its end`;
  const lines = errorsOf([...Array<string>(99).fill(long), 'short']);
  expect(lengthOf(lines)).toBeLessThanOrEqual(MAX_CHARACTERS);
  expect(lines).toHaveLength(100);
  expect(lines[99]).toBe('node 99 id-99: short');
  for (const [index, line] of lines.slice(0, 99).entries()) {
    expect(line.startsWith(`node ${index} id-${index}: boom: é`)).toBe(true);
    expect(line).toMatch(/ … \(\d+ characters left out\) … /);
    expect(line.endsWith(' its end')).toBe(true);
  }
});

it('errors within the limit are kept unchanged, and the error that ended the run comes first', () => {
  const long = 'x'.repeat(4_000);
  expect(errorsOf([long, 'short'])).toEqual([`node 0 id-0: ${long}`, 'node 1 id-1: short']);
  const lines = errorsOf(Array<string>(100).fill(long), 'run_time_limit: too long');
  expect(lines[0]).toBe('run_time_limit: too long');
  expect(lines).toHaveLength(100);
  expect(lengthOf(lines)).toBeLessThanOrEqual(MAX_CHARACTERS);
});
