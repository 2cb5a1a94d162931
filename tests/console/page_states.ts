import type { Page } from 'playwright-core';
import type { ShownRows } from './every_page.ts';

/** A state that a page has only after the user has done something. */
interface PageState {
  path: string;
  act: (page: Page) => Promise<void>;
}

/** The description of an API with three operations that can be nodes, and one that can't. */
const API = `
openapi: 3.1.0
info: { title: Shop, version: "1" }
servers: [{ url: https://shop.example.com/v1 }]
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      summary: Get an order
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { 200: { content: { application/json: { schema: { properties: { total: { type: number } } } } } } }
    delete: { operationId: cancelOrder, summary: Cancel an order that is not sent, responses: {} }
    put: { operationId: sendFile, requestBody: { content: { application/xml: {} } }, responses: {} }
  /orders: { post: { operationId: createOrder, summary: Create an order, responses: {} } }
`;

const canvasOf = (page: Page) => page.getByRole('region', { name: 'Canvas' });
const nodeOf = (page: Page, name: string) => canvasOf(page).getByRole('group', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog').waitFor();

const press = (button: string | RegExp) => async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: button, exact: true }).first().click();
  await dialog(page);
};

/** The states by the names of their pictures. */
export const statesOf = ({ flow, agentFlow, deployment, failedRun }: ShownRows): Record<string, PageState> => {
  const inFlow = (act: PageState['act']): PageState => ({
    path: `flows/${flow}`,
    act: async (page) => {
      await nodeOf(page, 'Price and quantity').waitFor();
      await act(page);
    },
  });
  const panelOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).waitFor();
  return {
    flow_node: inFlow(async (page) => {
      await nodeOf(page, 'Price and quantity').focus();
      await page.keyboard.press('Enter');
      await panelOf(page, 'Node');
    }),
    flow_edge: inFlow(async (page) => {
      await nodeOf(page, 'Price and quantity').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Open the edge into a' }).press('Enter');
      await panelOf(page, 'Edge');
    }),
    flow_menu: inFlow(async (page) => {
      await nodeOf(page, 'Price and quantity').focus();
      await page.keyboard.press('Shift+F10');
      await page.getByRole('menu').waitFor();
    }),
    flow_palette: inFlow(async (page) => {
      await page.keyboard.press('/');
      await page.getByRole('option', { name: 'Flow Input', exact: true }).waitFor();
    }),
    flow_palette_found: inFlow(async (page) => {
      await page.keyboard.press('/');
      await page.getByRole('searchbox', { name: 'Find a node' }).fill('loop');
      await page.getByText('For Each').first().waitFor();
      await page.getByRole('option', { name: 'Flow Input', exact: true }).waitFor({ state: 'detached' });
    }),
    flow_shortcuts: inFlow(async (page) => {
      await page.keyboard.press('?');
      await dialog(page);
    }),
    flow_find: inFlow(async (page) => {
      await page.keyboard.press('Control+f');
      await page.getByRole('searchbox', { name: 'Find in the flow' }).fill('price');
    }),
    flow_extract: inFlow(async (page) => {
      await nodeOf(page, 'Price and quantity').focus();
      await page.keyboard.press('Shift+F10');
      await page.getByRole('menuitem', { name: 'Extract into a flow' }).click();
      await dialog(page);
    }),
    flow_settings: inFlow(press('Flow settings')),
    flow_run: inFlow(press('Run')),
    flow_problems: inFlow(async (page) => {
      await page.getByRole('button', { name: /problem/i }).first().click();
      await panelOf(page, 'Problems');
    }),
    flow_history: inFlow(press('History')),
    agent_node: {
      path: `flows/${agentFlow}`,
      act: async (page) => {
        await nodeOf(page, 'Helper').focus();
        await page.keyboard.press('Enter');
        await panelOf(page, 'Node');
      },
    },
    flows_move: { path: 'flows', act: press(/^Move /) },
    flows_tool: { path: 'flows', act: press(/^Tool of /) },
    add_nodes_found: {
      path: 'nodes/add',
      act: async (page) => {
        await page.getByText('Text', { exact: true }).click();
        await page.getByRole('textbox', { name: 'Text' }).fill(API);
        await page.getByRole('button', { name: 'Show the nodes' }).click();
        await page.getByRole('list', { name: 'nodes' }).waitFor();
      },
    },
    failed_run_node: {
      path: `runs/${failedRun}`,
      act: async (page) => {
        const graph = page.getByRole('region', { name: 'Graph of the run' });
        await graph.getByRole('group', { name: /^Price and quantity/ }).focus();
        await page.keyboard.press('Enter');
      },
    },
    new_connection: { path: 'connections', act: press('New connection') },
    new_wallet: { path: 'wallets', act: press('New wallet') },
    new_key: { path: 'settings', act: press('New API key') },
    start_page_wrong: {
      path: `start/${deployment}`,
      act: async (page) => {
        await page.getByRole('textbox', { name: 'quantity' }).fill('many');
        await page.getByRole('button', { name: 'Start' }).click();
      },
    },
    start_page_failed: {
      path: `start/${deployment}`,
      act: async (page) => {
        await page.getByRole('textbox', { name: 'item' }).fill('a unicorn');
        await page.getByRole('button', { name: 'Start' }).click();
        await page.getByText('failed').first().waitFor();
      },
    },
    start_page_done: {
      path: `start/${deployment}`,
      act: async (page) => {
        const item = page.getByRole('textbox', { name: 'item' });
        // The page may show the failed run before.
        const again = page.getByRole('button', { name: 'Start again' });
        await item.or(again).first().waitFor();
        if (await again.isVisible()) await again.click();
        await item.fill('tea');
        await page.getByRole('button', { name: 'Start' }).click();
        await page.getByText('4.40').first().waitFor();
      },
    },
  };
};
