import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Writes to the file TEST_SUMMARY how many tests passed, failed and were skipped. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const summary = `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped\n`;
    writeFileSync(process.env.TEST_SUMMARY!, summary);
  }
}
