import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts', 'functions/**/*.test.ts', 'types/**/*.test.ts'],
    globalSetup: ['tests/support/global_setup.ts'],
    setupFiles: ['supabase/local/websocket.ts', 'tests/support/fuzz_seed.ts'],
    // Tests wait on conditions; this only ends what would wait for ever.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
