import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeIds, nodeRegistry } from '../../runner/nodes/registry.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { isEffects } from '../../types/node_definition.ts';
import { readDefinitionFiles } from '../../dev/nodes/publish_nodes.ts';

it('the registry has the nodes of every folder of runner/nodes, under their node_ids', async () => {
  const nodesDir = join(projectDir, 'runner/nodes');
  const folders = readdirSync(nodesDir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const published = await readDefinitionFiles(nodesDir);
  expect(nodeIds().toSorted()).toEqual(published.map(({ name }) => name).toSorted());
  for (const { name, text } of published) expect(nodeRegistry(name)?.definition).toEqual(JSON.parse(text));
  // Check the folders separately, because a folder without a definition is missing in both lists.
  for (const { name } of folders) expect(published.some((node) => node.name.startsWith(name))).toBe(true);
});

it('an instruction node has the ports that the engine requires', () => {
  const modules = nodeIds().map((id) => nodeRegistry(id)!).filter((module) => 'buildInstructions' in module);
  expect(modules.length).toBeGreaterThan(0);
  for (const { definition: { sources, targets, data } } of modules) {
    const submit = targets.find(({ name }) => name === 'submit');
    expect(submit, data.node_id).toMatchObject({ type_bounds: ['bool'] });
    expect(submit?.required || submit?.passthrough, data.node_id).not.toBe(true);
    expect(sources.find(({ name }) => name === 'signature'), data.node_id).toMatchObject({ type: 'signature' });
  }
});

it('each native node says what effects it has, and an instruction node that they happen once', () => {
  const effects = new Map(nodeIds().map((id) => [id, nodeRegistry(id)!.definition.data.effects ?? undefined]));
  expect([...effects].filter(([, word]) => word === undefined || !isEffects(word))).toEqual([]);
  expect([...effects].filter(([, word]) => word === 'idempotent').map(([id]) => id).toSorted()).toEqual([
    'kv_create_store',
    'kv_delete_store',
    'kv_write_item',
    'storage_delete',
  ]);
  const makesInstructions = (id: string) => 'buildInstructions' in nodeRegistry(id)!;
  const acting = [
    'das_api',
    'http_request',
    'postgrest_execute_query',
    'request_airdrop',
    'sql_function',
    'storage_upload',
    ...nodeIds().filter(makesInstructions),
  ];
  expect([...effects].filter(([, word]) => word === 'once').map(([id]) => id).toSorted()).toEqual(acting.toSorted());
});

it("the registry has no nodes with the names of an object's own members", () => {
  expect(nodeRegistry('toString')).toBeUndefined();
  expect(nodeRegistry('__proto__')).toBeUndefined();
});
