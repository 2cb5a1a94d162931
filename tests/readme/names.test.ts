import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readTransactionSettings } from '../../functions/runner/solana/transaction_settings.ts';
import { nodeIds } from '../../functions/runner/nodes/registry.ts';
import { readRunnerSettings } from '../../functions/runner/settings.ts';
import { projectDir } from '../../supabase/local/paths.ts';

const readme = readFileSync(join(projectDir, 'README.md'), 'utf8');

it('the README names every node that there is, and every setting of the runner that limits runs', () => {
  const nodes = readme.slice(readme.indexOf('## What flows are made of'), readme.indexOf('A failing node fails alone'));
  const named = [...nodes.matchAll(/`(\w+)`/g)].map((match) => match[1]!);
  const families = nodeIds().map((id) => id.replace(/^rhai_script_\dx\d$/, 'rhai_script_NxM'));
  expect(named.filter((name) => name.length > 1).toSorted()).toEqual([...new Set(families)].toSorted());

  const limits = [...readme.matchAll(/`((?:FLOW_RUN|HTTP|RUNNER|SIGNATURE|ACTION)_[A-Z_]+)`/g)].map((match) =>
    match[1]!
  );
  const known: string[] = [];
  readRunnerSettings((name) => {
    known.push(name);
    return undefined;
  }, false);
  expect(limits.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => /^(FLOW_RUN|HTTP|SIGNATURE|ACTION)_/.test(name) && !limits.includes(name))).toEqual([]);
});

it("the README names every setting that a flow's environment has for transactions", () => {
  const known: string[] = [];
  readTransactionSettings(
    new Proxy({}, {
      getOwnPropertyDescriptor(_settings, name) {
        known.push(String(name));
        return undefined;
      },
    }),
  );
  expect(known.length).toBeGreaterThan(0);
  expect(known.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});
