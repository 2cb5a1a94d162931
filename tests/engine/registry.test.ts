import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeIds, nodeRegistry } from '../../functions/runner/nodes/registry.ts';
import { projectDir } from '../../supabase/local/paths.ts';

it('the registry has every folder of functions/runner/nodes, under the node_id of its definition', () => {
  const folders = readdirSync(join(projectDir, 'functions/runner/nodes'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory()).map((entry) => entry.name).toSorted();
  expect(nodeIds().toSorted()).toEqual(folders);
  for (const id of folders) expect(nodeRegistry(id)?.definition.data.node_id).toBe(id);
});

it("the registry knows no node by the name of an object's own members", () => {
  expect(nodeRegistry('toString')).toBeUndefined();
  expect(nodeRegistry('__proto__')).toBeUndefined();
});
