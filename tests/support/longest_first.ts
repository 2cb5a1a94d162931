import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest test files. If a slow file began last, it would still run after all other files have ended. */
const LONGEST = [
  'tests/readme/readme.test.ts',
  'tests/pgtap/pgtap.test.ts',
  'tests/stack/lifecycle.test.ts',
  'tests/durability/outages.test.ts',
  'tests/bench/bench.test.ts',
  'tests/tools/soak.test.ts',
  'tests/console/editor.test.ts',
  'tests/console/schedules.test.ts',
  'tests/stack/waiting_callers.test.ts',
  'tests/hosted/functions_deploy.test.ts',
  'tests/durability/retries.test.ts',
  'tests/readme/demo.test.ts',
  'tests/durability/fair_slots.test.ts',
  'tests/console/runs.test.ts',
  'tests/durability/money.test.ts',
  'tests/durability/flow_events.test.ts',
  'tests/console/definitions.test.ts',
  'tests/durability/kill.test.ts',
  'tests/durability/worker_command.test.ts',
  'tests/durability/watch.test.ts',
  'tests/hosted/recipe.test.ts',
  'tests/durability/webhooks.test.ts',
  'tests/durability/pending_inputs.test.ts',
];

/** Runs the slowest test files first, and the others in vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return place === -1 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
