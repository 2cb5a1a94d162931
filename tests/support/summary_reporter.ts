import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Writes to the file TEST_SUMMARY how many tests passed, failed and were skipped, and which passed only when they were
 * repeated.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const lines = [
      ...tests.filter((test) => test.diagnostic()?.flaky)
        .map((test) => {
          const [error] = test.result().errors ?? [];
          const why = error?.message.split('\n')[0];
          return `passed only on a second try: ${test.module.relativeModuleId}: ${test.fullName} (${why})`;
        }),
      `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`,
    ];
    writeFileSync(process.env.TEST_SUMMARY!, `${lines.join('\n')}\n`);
  }
}
