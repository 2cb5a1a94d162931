import { expect, onTestFinished, test } from 'vitest';
import { type ConsolePage, type ConsolePerson, enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { startModelProvider } from '../support/model_provider/index.ts';
import { deploy, finishedRun, start, storeFlow } from '../support/people.ts';

const HTML = `<img src=x onerror="document.title='owned'"><b>bold</b>`;
const LONG = 'word '.repeat(1_000);

/** A flow that hands its input `to` on. */
function payFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('paid', flow.input('to', undefined, { type: 'text', required: true }));
  return flow;
}

/** Starts an agent with a tool that needs approval and a tool that fails. Each text is an attack. */
async function startAgent(owner: ConsolePerson, url: string): Promise<string> {
  const failing = new FlowBuilder();
  failing.output('price', failing.field('price', failing.json({}), 'Price'));
  const flow = new FlowBuilder();
  const form = {
    dialect: 'openai',
    base_url: url,
    model: HTML,
    tools: [
      { flow: await storeFlow(owner, payFlow()), name: 'pay', needs_approval: true },
      { flow: await storeFlow(owner, failing), name: 'broken', needs_approval: false },
    ],
  };
  const agent = flow.use('ai_agent', { input: flow.input('task') }, { form, title: 'Helper' });
  flow.output('text', agent.output('text'));
  const id = await deploy(owner, await storeFlow(owner, flow, { name: 'Agent' }));
  return (await start(owner, `id=${id}`, { values: { task: `Pay ${HTML}` } })).flow_run_id;
}

/** Opens the transcript from the node of the agent, by keyboard only. */
async function openTranscript({ page, goto }: ConsolePage, runId: string): Promise<void> {
  await goto(`runs/${runId}`);
  const node = page.getByRole('region', { name: 'Graph of the run' }).getByRole('group', { name: /^Helper/ });
  await node.focus();
  await page.keyboard.press('Enter');
  const link = page.getByRole('link', { name: 'Transcript of the agent' });
  await link.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'Transcript' }).waitFor();
}

/** Answers the open request for approval by keyboard. */
async function answer({ page }: ConsolePage, to: string, word: string): Promise<void> {
  const request = page.getByRole('group', { name: 'Approval of pay waits for an input' }).filter({ hasText: to });
  const button = request.getByRole('button', { name: word });
  await button.focus();
  await page.keyboard.press('Enter');
  await request.waitFor({ state: 'detached' });
}

test('the run of an agent is a transcript with calls, approvals, errors and tokens, all as plain text', async () => {
  const provider = await startModelProvider();
  onTestFinished(provider.close);
  const opened = await openConsole({ viewport: { width: 1280, height: 900 } });
  const { page } = opened;
  const overflows = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  const owner = await enterConsole(opened);
  const pay = (to: unknown) => ({ name: 'pay', arguments: JSON.stringify({ to }) });
  provider.will(
    { text: `I try ${HTML}`, toolCalls: [pay(7), pay(HTML)] },
    { toolCalls: [pay('Mallory'), { name: 'broken', arguments: '{}' }, { name: HTML, arguments: HTML }] },
    { text: `Done ${LONG}`, usage: { input: 1_100, output: 9 } },
  );
  const runId = await startAgent(owner, provider.urls.openai);
  await openTranscript(opened, runId);
  const transcript = page.getByRole('list', { name: 'Transcript of the agent' });
  const call = (name: string, state: string) =>
    transcript.getByRole('list', { name: 'Calls of tools' }).getByRole('listitem').filter({
      has: page.getByRole('heading', { level: 4, name, exact: true }),
    })
      .filter({ has: page.getByText(state, { exact: true }) });
  await transcript.getByText(`Pay ${HTML}`, { exact: true }).waitFor();
  await transcript.getByText(`I try ${HTML}`, { exact: true }).waitFor();
  // The first call is wrong, although the model has not been told yet.
  await call('pay', 'wrong call').waitFor();
  await call('pay', 'waits for approval').getByText(HTML, { exact: true }).waitFor();
  await opened.checkAccessibilityInBoth();
  await page.emulateMedia({ colorScheme: 'light' });
  await answer(opened, 'img', 'Approve');
  await call('pay', 'waits for approval').getByText('Mallory').waitFor();
  await answer(opened, 'Mallory', 'Refuse');
  expect(await finishedRun(owner, runId)).toMatchObject({ status: 'succeeded' });

  await page.getByRole('status').getByText('succeeded').waitFor();
  await call('pay', 'wrong call').getByText(/\bto: /).waitFor();
  await call('pay', 'done').getByText(/^Approved by \S+/).waitFor();
  await call('pay', 'refused').getByText(/^Refused by \S+/).waitFor();
  await call('pay', 'refused').getByText('a person has refused this call').waitFor();
  await call('broken', 'failed').getByText(/price/).waitFor();
  await call(HTML, 'wrong call').getByText('there is no tool of this name').waitFor();
  await transcript.getByText('1,100 tokens in, 9 out').waitFor();
  await page.getByText('3 answers, 1,122 tokens in, 23 out').waitFor();
  const more = transcript.getByRole('button', { name: 'Show all 5,005 characters' });
  await more.press('Enter');
  await transcript.getByRole('button', { name: 'Show less' }).waitFor();
  expect(await transcript.innerText()).toContain(LONG.trim());
  await transcript.getByRole('button', { name: 'Show less' }).press('Enter');
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await overflows()).toBe(false);
  await opened.checkAccessibilityInBoth();

  await call('pay', 'done').getByRole('link', { name: 'Run of pay' }).press('Enter');
  await page.getByRole('region', { name: 'Output' }).getByText(HTML, { exact: true }).waitFor();
  await opened.goto(`runs/${runId}`);
  const usage = page.getByRole('table', { name: 'Usage of models' }).getByRole('row', { name: HTML });
  expect(await usage.getByRole('cell').allInnerTexts()).toEqual([HTML, '3', '1,122', '23']);
  expect(await overflows()).toBe(false);
  await opened.checkAccessibilityInBoth();
  expect(await page.locator('main img, main b').count()).toBe(0);
  expect(await page.title()).not.toBe('owned');
});
