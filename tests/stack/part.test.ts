import { afterEach, expect, it } from 'vitest';
import { type Part, type PartOptions, startPart } from '../../dev/stack/parts/part.ts';

let part: Part | undefined;
afterEach(() => part?.stop());

/** Runs a part that prints these lines, until it has ended. Returns the lines that the part has passed on. */
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

it('lines before a part is ready are held back until then', async () => {
  expect(await linesOf(['early', 'ready', 'late'], { readyText: 'ready' })).toEqual(['early', 'late']);
  expect(await linesOf(['early'], { readyText: 'ready' })).toEqual([]);
});

it('lines of a part without a ready text are not held back', async () => {
  expect(await linesOf(['first', 'second'])).toEqual(['first', 'second']);
});
