import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchLauncher } from '../../dev/stack/launcher.ts';

const [NPM, SHELL, INIT] = [100, 200, 1];
let parent: number;
let commands: Record<number, string>;
const commandLine = vi.fn((pid: number) => commands[pid] ?? '');
const processes = { commandLine, parentOf: () => NPM };

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubEnv('npm_lifecycle_script', 'exec node main.ts');
  vi.spyOn(process, 'ppid', 'get').mockImplementation(() => parent);
  commandLine.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('if npm is the parent, a change of the parent shows its end, and no process is read again', () => {
  [parent, commands] = [NPM, { [NPM]: 'npm start' }];
  const onGone = vi.fn();
  watchLauncher('main.ts', onGone, processes);
  const looks = commandLine.mock.calls.length;
  vi.advanceTimersByTime(1_000);
  expect([onGone, commandLine].map(({ mock }) => mock.calls.length)).toEqual([0, looks]);
  parent = INIT;
  vi.advanceTimersByTime(1_000);
  expect(onGone).toHaveBeenCalledOnce();
});

it('if npm is the parent of a shell, npm counts as ended when it or the shell has ended', () => {
  for (const end of [() => delete commands[NPM], () => parent = INIT]) {
    [parent, commands] = [SHELL, { [NPM]: 'npm start', [SHELL]: 'sh -c node main.ts' }];
    const onGone = vi.fn();
    watchLauncher('main.ts', onGone, processes);
    vi.advanceTimersByTime(1_000);
    expect(onGone).not.toHaveBeenCalled();
    end();
    vi.advanceTimersByTime(1_000);
    expect(onGone).toHaveBeenCalledOnce();
  }
});
