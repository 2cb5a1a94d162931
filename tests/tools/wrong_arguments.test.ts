import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';
import { npmScript } from '../support/npm_script.ts';

/** Runs a command that must refuse before it does anything. Returns its only line. */
function refusalOf(script: string, ...args: string[]): string {
  const options = { cwd: projectDir, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, npmScript(script, ...args), options);
  expect([status, stdout]).toEqual([1, '']);
  return stderr.trimEnd();
}

it.each(['80', '65533', 'abc', ''])(
  'npm start on port %j is refused with the valid ports',
  (port) => {
    expect(refusalOf('start', `--port=${port}`)).toBe(
      `--port must be a number from 1024 to 65532, not ${
        port || 'nothing'
      }: lower ports belong to the system, and the stack may also take the three ports above`,
    );
  },
);

it.each(['0', 'many'])('a worker with --concurrency %j is refused with the valid values', (concurrency) => {
  expect(refusalOf('worker', `--concurrency=${concurrency}`)).toBe(
    `--concurrency must be an integer from 1 to 1000, not ${concurrency}`,
  );
});
