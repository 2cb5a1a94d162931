import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/support/longest_first.ts';

const setupFiles = ['supabase/local/websocket.ts', 'tests/support/listeners.ts', 'tests/support/fuzz_seed.ts'];

// Tests wait for conditions. These limits only end a test that would wait for ever, and are wide enough for a busy
// machine.
const timeouts = { testTimeout: 120_000, hookTimeout: 180_000 };

/** The folders whose tests need no stack. A file in them that needs one is named `*.stack.test.ts`. */
const UNIT_FOLDERS = '{types,functions,client,console,tests/{engine,chain,soak}}';

export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    teardownTimeout: 60_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: [`${UNIT_FOLDERS}/**/*.test.ts`],
          exclude: ['**/*.stack.test.ts'],
          setupFiles,
          ...timeouts,
          // Unit tests change nothing that others see, so they share one process, which loads their imports once.
          isolate: false,
        },
      },
      {
        test: {
          name: 'stack',
          include: ['tests/**/*.test.ts', `${UNIT_FOLDERS}/**/*.stack.test.ts`],
          exclude: [`${UNIT_FOLDERS}/**/!(*.stack).test.ts`],
          globalSetup: ['tests/support/global_setup.ts'],
          setupFiles,
          ...timeouts,
        },
      },
    ],
  },
});
