import { parse } from 'lossless-json';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeRunGraph } from '../../runner/engine/graph/graph.ts';
import { onlyNative } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import type { Graph } from '../../types/flow.ts';

it.each(['paid_transfer', 'mint_and_send'])('%s uses existing nodes and existing ports only', (name) => {
  // SAFETY: an export of the editor; members that the type lacks are not read at run time.
  const flow = parse(readFileSync(join(projectDir, `tests/fixtures/flows/${name}.json`), 'utf8')) as unknown as Graph;
  const { nodes, warnings } = makeRunGraph(flow, onlyNative(nodeRegistry));
  expect(warnings).toEqual([]);
  expect(nodes.filter(({ module, fault }) => module === undefined || fault !== undefined)).toEqual([]);
  const wired = nodes.flatMap(({ incoming }) => incoming);
  expect(wired).toHaveLength(flow.edges.length);
  for (const { id, data } of flow.nodes) {
    const node = nodes.find((candidate) => candidate.id === id)!;
    const given = (input: string) =>
      input in node.presets || wired.some((e) => e.target === node && e.input.name === input);
    const needed = node.ports.inputs.filter(({ required }) => required).map((input) => input.name);
    expect(needed.filter((input) => !given(input)), data.node_id).toEqual([]);
  }
});
