import { afterEach, expect, it } from 'vitest';
import { type Part, type PartOptions, startPart } from '../../dev/stack/part.ts';

let part: Part | undefined;
afterEach(() => part?.stop());

/** What a part that prints these lines has passed on when it ends. */
async function linesOf(lines: string[], options: Partial<PartOptions> = {}): Promise<string[]> {
  const passedOn: string[] = [];
  const args = ['-e', lines.map((line) => `console.log(${JSON.stringify(line)})`).join(';')];
  part = startPart({
    name: 'test',
    command: process.execPath,
    args,
    onLine: (line) => passedOn.push(line),
    ...options,
  });
  await part.exited;
  return passedOn;
}

it('what a part prints before it is ready is held back until then', async () => {
  expect(await linesOf(['early', 'ready', 'late'], { readyText: 'ready' })).toEqual(['early', 'late']);
  expect(await linesOf(['early'], { readyText: 'ready' })).toEqual([]);
});

it('what a part prints that never says it is ready is not held back', async () => {
  expect(await linesOf(['first', 'second'])).toEqual(['first', 'second']);
});
