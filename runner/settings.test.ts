import { expect, it } from 'vitest';
import { UNLIMITED } from './engine/state/slice.ts';
import { readRunnerSettings } from './settings.ts';

const read = (env: Record<string, string>, isEdgeFunction = false) =>
  readRunnerSettings((name) => env[name], isEdgeFunction);

it('the environment overrides what the runner does by default', () => {
  expect(read({})).toMatchObject({
    runnerConcurrency: 16,
    flowRunMaxNodeExecutions: 100_000,
    allowPrivateNetwork: false,
  });
  expect(read({ RUNNER_CONCURRENCY: '3', FLOW_RUN_MAX_NODE_EXECUTIONS: '', ALLOW_PRIVATE_NETWORK: '1' })).toMatchObject(
    {
      runnerConcurrency: 3,
      flowRunMaxNodeExecutions: 100_000,
      allowPrivateNetwork: true,
    },
  );
});

it('only an Edge Function works in slices', () => {
  expect(read({ RUNNER_SLICE_MS: '5000' }).slice).toEqual(UNLIMITED);
  expect(read({ RUNNER_SLICE_MS: '5000' }, true).slice).toEqual({ wallMs: 5_000, busyMs: 1_000 });
});

it('the error names every invalid variable and its valid values', () => {
  expect(() =>
    read({
      RUNNER_CONCURRENCY: '0',
      FLOW_RUN_MAX_WORK_MS: '9999999999',
      HTTP_TIMEOUT_MS: '1s',
      RUNNER_LEASE_SECONDS: '1',
    })
  )
    .toThrow(
      'Wrong in the environment: RUNNER_LEASE_SECONDS=1: must be an integer from 2 to 3600; ' +
        'RUNNER_CONCURRENCY=0: must be an integer from 1 to 1000; HTTP_TIMEOUT_MS=1s: must be an integer from 1 to 2147483647; ' +
        'FLOW_RUN_MAX_WORK_MS=9999999999: must be an integer from 1 to 2147483647',
    );
});

it('flows share the buckets that the operator lists, and never those of users', () => {
  expect([...read({}).sharedBuckets]).toEqual([]);
  expect([...read({ STORAGE_SHARED_BUCKETS: ' reports, a.b ,,' }).sharedBuckets]).toEqual(['reports', 'a.b']);
  for (const wrong of ['user-storages', 'authenticated', 'a/b']) {
    expect(() => read({ STORAGE_SHARED_BUCKETS: `reports,${wrong}` })).toThrow(
      `Wrong in the environment: STORAGE_SHARED_BUCKETS=${wrong}: users can't share a bucket of this name`,
    );
  }
});
