import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { type BuiltNode, FlowBuilder, type Port } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';

const NODES = 1_000;

/** Chains of ten nodes each, without positions. */
function manyNodes(): FlowBuilder {
  const flow = new FlowBuilder();
  for (let chain = 0; chain < NODES / 10; chain++) {
    let port: Port = flow.input(`in ${chain}`);
    for (let index = 1; index < 10; index++) {
      port = flow.use('to_string', { stringify: port }, { title: `Node ${chain}.${index}` }).output('result');
    }
  }
  return flow;
}

test('a flow of 1,000 nodes is laid out, searched for, changed, undone and saved', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = manyNodes();
  expect(flow.nodes).toHaveLength(NODES);
  const id = await storeFlow(person, flow);
  await goto(`flows/${id}`);
  const canvas = page.getByRole('region', { name: 'Canvas' });
  const nodes = canvas.locator('.react-flow__node');
  await nodes.first().waitFor();

  // Laid out: no two nodes are at the same position.
  const places = await nodes.evaluateAll((elements) =>
    elements.map((element) => (element as HTMLElement).style.transform)
  );
  expect(new Set(places).size).toBe(places.length);

  await canvas.getByRole('button', { name: /zoom in/i }).click();
  await page.keyboard.press('/');
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('Collect');
  await page.getByRole('searchbox', { name: 'Find a node' }).press('Enter');
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  await panel.getByRole('textbox', { name: 'Name' }).fill('The end');
  const select = panel.getByRole('combobox', { name: /^Edge into/ });
  await select.fill('Node 99.9');
  await page.getByRole('option', { name: /Node 99\.9/ }).click();
  await page.keyboard.press('Control+s');
  await page.getByText('Saved', { exact: true }).waitFor();
  const { data } = await person.client.from('flows').select('nodes, edges').eq('id', id).single().throwOnError();
  const stored = data as unknown as { nodes: { position: object; data: { display_name: string } }[]; edges: object[] };
  expect([stored.nodes.length, stored.edges.length]).toEqual([NODES + 1, 901]);
  expect(stored.nodes.at(-1)!.data.display_name).toBe('The end');
  expect(stored.nodes.every(({ position }) => position !== undefined)).toBe(true);

  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Not saved').waitFor();
  await page.getByRole('button', { name: 'Redo' }).click();
  await page.getByRole('button', { name: 'Lay out' }).click();
  await page.getByRole('button', { name: 'Deploy' }).click();
  await page.getByRole('link', { name: 'Open the deployment' }).waitFor();
});

/** Each node has three inputs, and each input has an edge from an earlier node. */
function denseFlow(count: number): FlowBuilder {
  const flow = new FlowBuilder();
  const built: BuiltNode[] = [];
  for (let index = 0; index < count; index++) {
    const node = flow.node('dense', { inputs: ['a?', 'b?', 'c?'], outputs: ['o'], title: `Node ${index}` });
    for (const [place, input] of ['a', 'b', 'c'].entries()) {
      const from = built[(index * (7 + place) + place) % Math.max(1, index)];
      if (from !== undefined) flow.connect(from.output('o'), node.input(input));
    }
    built.push(node);
  }
  return flow;
}

test('a dense flow is laid out in the background, and a very dense one at once in columns', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const [dense, veryDense] = [await storeFlow(person, denseFlow(150)), await storeFlow(person, denseFlow(NODES))];
  const nodes = page.getByRole('region', { name: 'Canvas' }).locator('.react-flow__node');
  /** Returns the positions of the visible nodes. */
  const places = async (): Promise<string[]> => {
    await nodes.first().waitFor();
    return await nodes.evaluateAll((drawn) => drawn.map((node) => (node as HTMLElement).style.transform));
  };
  const workers: string[] = [];
  page.on('worker', (worker) => workers.push(worker.url()));

  await goto(`flows/${dense}`);
  const laidOut = await places();
  expect(new Set(laidOut).size).toBe(laidOut.length);
  expect(workers).toEqual([expect.stringContaining('layout_worker')]);
  // The user can draw while the worker computes.
  const another = page.waitForEvent('worker');
  await page.getByRole('button', { name: 'Lay out' }).click();
  await page.keyboard.press('/');
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('Collect');
  await page.getByRole('searchbox', { name: 'Find a node' }).press('Enter');
  await page.getByRole('region', { name: 'Node', exact: true }).getByRole('heading', { name: 'Collect' }).waitFor();
  await another;

  await goto(`flows/${veryDense}`);
  const inColumns = await places();
  expect(new Set(inColumns).size).toBe(inColumns.length);
  expect(workers).toHaveLength(2);

  // The view first shows the origin, then the whole graph.
  const zoom = () =>
    page.locator('.react-flow__viewport').evaluate((view) => new DOMMatrix(getComputedStyle(view).transform).a);
  await expect.poll(zoom).toBeLessThan(0.1);
  // At this zoom a name would be too small to read, so a node is a block of one colour.
  await page.getByRole('group', { name: 'Node 7', exact: true }).waitFor();
  expect(await page.getByText('Node 7', { exact: true }).count()).toBe(0);

  // Many edges are drawn as a few paths. A click beside a node still selects the nearest edge and opens its panel, and a
  // right click opens its menu.
  const placeOnEdge = () =>
    page.locator('.graph-edge-layer > path').first().evaluate((path: SVGPathElement) => {
      const matrix = path.getScreenCTM()!;
      for (let at = 0; at < path.getTotalLength(); at += 40) {
        const point = path.getPointAtLength(at).matrixTransform(matrix);
        const found = document.elementFromPoint(point.x, point.y);
        if (found?.classList.contains('react-flow__pane')) return { x: point.x, y: point.y };
      }
      throw new Error('no edge is visible');
    });
  const clicked = await placeOnEdge();
  await page.mouse.click(clicked.x, clicked.y);
  const edgePanel = page.getByRole('region', { name: 'Edge' });
  await edgePanel.getByRole('button', { name: 'Delete the edge' }).click();
  await edgePanel.waitFor({ state: 'detached' });
  const rightClicked = await placeOnEdge();
  await page.mouse.click(rightClicked.x, rightClicked.y, { button: 'right' });
  await page.getByRole('menu', { name: 'The selection' }).getByRole('menuitem', { name: 'Delete the edge' }).click();
  const deleted = denseFlow(NODES).edges.length - 2;
  const countStored = async () => {
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).waitFor();
    const { data } = await person.client.from('flows').select('edges').eq('id', veryDense).single().throwOnError();
    return (data.edges as unknown[]).length;
  };
  expect(await countStored()).toBe(deleted);

  // Without a mouse, a user opens an edge by a node's panel, and puts a node into the edge by the edge's panel.
  await page.keyboard.press('Control+f');
  await page.getByRole('searchbox', { name: 'Find in the flow' }).fill('Node 500');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Open the edge into a' }).press('Enter');
  await edgePanel.getByRole('button', { name: 'Add a node in its middle' }).press('Enter');
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('Wait');
  await page.getByRole('option', { name: 'Wait', exact: true }).click();
  await page.getByRole('region', { name: 'Node', exact: true }).getByRole('heading', { name: 'Wait' }).waitFor();
  expect(await countStored()).toBe(deleted + 1);
});
