import { platform } from 'node:os';
import { expect, it } from 'vitest';
import { answerScript } from './answer_script.ts';
import { threadCpuMs } from './thread_cpu.ts';

const BUDGET_MS = 1_000;

/** Answers a long script, with clocks that advance by these milliseconds at each reading. */
async function answer(stepMs: number, computedStepMs: number | undefined) {
  let time = 0;
  let computed = 0;
  const task = {
    inputs: { source: { S: 'let u = 0; while u < 1000000 { u += 1; }' } },
    inputNames: ['source'],
    outputNames: ['u'],
    environment: {},
  };
  return await answerScript({ task, budgetMs: BUDGET_MS }, {
    now: () => time += stepMs,
    computedMs: () => computedStepMs === undefined ? undefined : computed += computedStepMs,
  });
}

const CPU_LIMIT = { nodeError: expect.stringMatching(/^node_cpu_limit: not finished after 1000 ms of computing/) };

it('a script that has computed for longer than its budget is ended', async () => {
  expect(await answer(400, 400)).toMatchObject(CPU_LIMIT);
});

it('time in which the script did not have the processor does not count', async () => {
  expect(await answer(10, 0)).toHaveProperty('outputs');
  expect(await answer(10, undefined)).toMatchObject(CPU_LIMIT);
});

it('a script without processor time for long is ended too, because others wait for its thread', async () => {
  expect(await answer(400, 1)).toMatchObject(CPU_LIMIT);
});

it.runIf(platform() === 'linux')('the CPU time of a thread is known on every runtime on Linux', async () => {
  const before = threadCpuMs()!;
  await answer(1, 1);
  expect(threadCpuMs()!).toBeGreaterThan(before);
});
