import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';

const canvasOf = (page: Page) => page.getByRole('region', { name: 'Canvas' });

const VIEWPORT = { width: 1280, height: 800 };

/** Returns the part of the window that the canvas takes. */
async function shareOfCanvas(page: Page): Promise<number> {
  const { width, height } = (await canvasOf(page).boundingBox())!;
  return width * height / (VIEWPORT.width * VIEWPORT.height);
}

/** Returns the position and the zoom of the view. */
const viewOf = (page: Page) =>
  canvasOf(page).locator('.react-flow__viewport').evaluate((element) => {
    const { e, f, a } = new DOMMatrix(getComputedStyle(element).transform);
    return { x: e, y: f, zoom: a };
  });

/** Tests whether all drawn nodes are inside of the canvas. */
const isWholeGraphVisible = (page: Page) =>
  canvasOf(page).evaluate((canvas) => {
    const around = canvas.getBoundingClientRect();
    return [...canvas.querySelectorAll('.react-flow__node')].map((node) => node.getBoundingClientRect())
      .every(({ left, top, right, bottom }) =>
        left >= around.left && top >= around.top && right <= around.right && bottom <= around.bottom
      );
  });

test('the canvas has nearly the whole window, and moves only for a node that would be outside', async () => {
  const opened = await openConsole({ viewport: VIEWPORT });
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.use('to_string', { stringify: flow.input('n') }, { title: 'Text' });
  await goto(`flows/${await storeFlow(person, flow)}`);
  const node = canvasOf(page).getByRole('group', { name: 'Text', exact: true });
  await node.waitFor();
  expect(await shareOfCanvas(page)).toBeGreaterThan(0.9);
  expect(await viewOf(page)).toMatchObject({ zoom: 1 });
  const before = await viewOf(page);
  await node.click();
  const panel = page.getByRole('complementary');
  await panel.waitFor();
  expect(await shareOfCanvas(page)).toBeGreaterThan(0.7);
  expect(await viewOf(page)).toEqual(before);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });

  // A node that is dropped inside does not move the view, although the palette closes and the node's panel opens.
  await page.keyboard.press('/');
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('Wait');
  await expect.poll(() => page.getByRole('option').first().textContent()).toBe('Wait');
  await page.getByRole('option').first().dragTo(canvasOf(page), { targetPosition: { x: 500, y: 560 } });
  await canvasOf(page).getByRole('group', { name: 'Wait', exact: true }).waitFor();
  expect(await page.getByRole('searchbox', { name: 'Find a node' }).count()).toBe(0);
  expect(await viewOf(page)).toEqual(before);

  // The width of the panel is remembered.
  const handle = page.getByRole('separator', { name: 'Width of the panel' });
  await handle.focus();
  for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowLeft');
  const { width } = (await panel.boundingBox())!;
  await page.keyboard.press('Control+s');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.reload();
  await canvasOf(page).getByRole('group', { name: 'Wait', exact: true }).click();
  expect((await panel.boundingBox())!.width).toBe(width);
});

test('fit shows the whole graph of 300 nodes, and never zooms above 1', async () => {
  const opened = await openConsole({ viewport: VIEWPORT });
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  for (let index = 0; index < 300; index++) {
    const node = flow.node('wait', { title: `Node ${index}` });
    Object.assign(flow.nodes.find(({ id }) => id === node.id)!, { position: { x: 0, y: index * 200 } });
  }
  await goto(`flows/${await storeFlow(person, flow)}`);
  const nodes = canvasOf(page).locator('.react-flow__node');
  await expect.poll(() => nodes.count()).toBe(300);
  expect(await isWholeGraphVisible(page)).toBe(true);
  await nodes.first().focus();
  await canvasOf(page).getByRole('button', { name: /zoom in/i }).click();
  await page.getByRole('button', { name: 'Fit View' }).click();
  await expect.poll(() => nodes.count()).toBe(300);
  await expect.poll(() => isWholeGraphVisible(page)).toBe(true);
});

test('values of a run beside nodes are not cut off at the border, also with the panel open', async () => {
  const opened = await openConsole({ viewport: VIEWPORT });
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const text = flow.toText(
    flow.toText(flow.json('a long text, so that its value takes all its room'), 'First'),
    'Second',
  );
  flow.use('to_string', { stringify: text }, { title: 'Last' });
  flow.nodes.forEach((node, index) => Object.assign(node, { position: { x: index * 300, y: 0 } }));
  await goto(`flows/${await storeFlow(person, flow)}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const values = canvasOf(page).locator('.run-value');
  await expect.poll(() => values.count()).toBe(4);
  const areWhole = async () => {
    const { x, y, width, height } = (await canvasOf(page).boundingBox())!;
    const boxes = await Promise.all((await values.all()).map((value) => value.boundingBox()));
    return boxes.map((box) =>
      box !== null && box.x >= x && box.y >= y && box.x + box.width <= x + width && box.y + box.height <= y + height
    );
  };
  await expect.poll(areWhole).toEqual([true, true, true, true]);
  // The view was fitted again after the drawer had opened, so the row is in the middle of the smaller canvas.
  const fromMiddle = async () => {
    const { y, height } = (await canvasOf(page).boundingBox())!;
    const node = (await canvasOf(page).getByRole('group', { name: 'First', exact: true }).boundingBox())!;
    return Math.abs(node.y + node.height / 2 - y - height / 2);
  };
  await expect.poll(fromMiddle).toBeLessThan(60);
  await canvasOf(page).getByRole('group', { name: 'Last', exact: true }).click();
  await page.getByRole('complementary').waitFor();
  await expect.poll(async () => (await areWhole()).at(-1)).toBe(true);
});
