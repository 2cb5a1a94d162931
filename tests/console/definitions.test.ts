import { expect, test } from 'vitest';
import { makeNode } from '../../console/flows/editor/definition.ts';
import { categoryOf } from '../../console/shared/graph/categories.ts';
import { projectNodesDir, readDefinitionFiles } from '../../dev/nodes/publish_nodes.ts';
import { enterConsole, openConsole } from '../support/browser.ts';
import { fixtureDefinitions, type JsonObject, sharedDefinitions } from '../support/node_definitions.ts';

test('each node of the project has a category', async () => {
  const names = (await readDefinitionFiles(projectNodesDir)).map(({ text }) => JSON.parse(text).data.node_id as string);
  // A note is no step of a run.
  expect(names.filter((nodeId) => categoryOf({ nodeId, kind: 'native' }) === 'other')).toEqual(['note']);
});

/**
 * Makes a node of a definition. All nodes have the same position: if they were far apart, they would be drawn as
 * summaries.
 */
const drawn = ([name, definition]: [string, JsonObject], index: number) => {
  // SAFETY: a definition has these columns. If the definition omits a column, the column is missing here, and null in
  // the row.
  const position = { x: 0, y: 0 };
  const node: JsonObject = { ...makeNode({ ...definition, id: name } as never), position };
  const data = node.data as JsonObject;
  return { ...node, id: String(node.id), data: { ...data, display_name: `${index} ${String(data.display_name)}` } };
};

test.for(
  [
    ['of the tests', fixtureDefinitions],
    ['that are real', sharedDefinitions],
  ] as const,
)('all definitions %s are drawn with their ports, and their forms open', async ([, definitions]) => {
  if (definitions.length === 0) return;
  const opened = await openConsole();
  const { page, goto } = opened;
  const { client } = await enterConsole(opened);
  const nodes = definitions.map(drawn);
  const { data } = await client.from('flows').insert({ name: 'All', nodes: nodes as never }).select('id').single()
    .throwOnError();
  await goto(`flows/${data.id}`);
  // This test uses CSS selectors, because finding regions by role would examine everything on a page with so many
  // nodes.
  const canvas = page.locator('section[aria-label="Canvas"]');
  await expect.poll(() => canvas.locator('.react-flow__node').count()).toBe(nodes.length);
  const panel = page.locator('section[aria-label="Node"]');
  for (const node of nodes) {
    const { sources, targets } = node.data as unknown as { sources: object[]; targets: object[] };
    const element = canvas.locator(`.react-flow__node[data-id="${node.id}"]`);
    const more = element.locator('.graph-more');
    if (await more.count() > 0) await more.press('Enter');
    await expect.poll(() => element.locator('.graph-port').count()).toBe(sources.length + targets.length);
    await element.focus();
    await page.keyboard.press('Enter');
    await panel.getByRole('heading', { level: 2, name: String(node.data.display_name) }).waitFor();
    expect(await panel.getByRole('alert').count(), String(node.data.display_name)).toBe(0);
    await page.keyboard.press('Escape');
  }
  await opened.checkAccessibility();
});
