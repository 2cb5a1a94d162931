import { defineConfig } from 'vitest/config';
import { LONG_TEST_FILES, runsLongTests } from './tests/support/long_tests.ts';
import { LongestFirst } from './tests/support/longest_first.ts';

// Supabase Auth hashes the password of each user that a test makes. In JavaScript, a hash takes 100 ms at the default
// cost of 10, and 2 ms at this cost. Every stack that a test boots inherits the variable.
process.env.LITE_AUTH_BCRYPT_COST ??= '4';

const shared = {
  setupFiles: ['dev/stack/websocket.ts', 'tests/support/listeners.ts', 'tests/support/fuzz_seed.ts'],
  // Tests wait for conditions. These limits only end a test that would wait for ever, and are wide enough for a busy
  // machine.
  testTimeout: 120_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 100_000 } },
  // The test files share processes, so that each process loads its imports once. Loading takes a third of a short
  // file's time. Environment variables and globals that a test has replaced are restored for the next test.
  isolate: false,
  unstubEnvs: true,
  unstubGlobals: true,
};

/** The folders whose tests need no stack. A file in them that needs one is named `*.stack.test.ts`. */
const UNIT_FOLDERS = '{types,platform,functions,runner,client,console,tests/{engine,chain,soak,described}}';

export default defineConfig({
  test: {
    // Twice the number of processors in CI, because on average two of four workers only wait, for a time or for a
    // process.
    maxWorkers: 4,
    // Keeps transformed files in node_modules, by their contents. Imports then take a fifth less time.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    teardownTimeout: 60_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: [`${UNIT_FOLDERS}/**/*.test.ts`],
          exclude: ['**/*.stack.test.ts'],
          ...shared,
        },
      },
      {
        test: {
          name: 'stack',
          include: ['tests/**/*.test.ts', `${UNIT_FOLDERS}/**/*.stack.test.ts`],
          exclude: [`${UNIT_FOLDERS}/**/!(*.stack).test.ts`, ...(runsLongTests ? [] : LONG_TEST_FILES)],
          globalSetup: ['tests/support/global_setup.ts'],
          ...shared,
          restoreMocks: true,
        },
      },
    ],
  },
});
