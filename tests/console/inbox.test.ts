import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import type { FormJson } from '../support/flow_builder.ts';
import { deploy, finishedRun, start, storeFlow } from '../support/people.ts';
import { askingFlow, pendingInputs } from '../support/pending_inputs.ts';

const HTML = `<img src=x onerror="document.title='owned'"><b>bold</b>`;

const QUESTIONS: ({ title: string } & Record<string, FormJson>)[] = [
  { title: HTML, description: 'Line one\nLine two', choices: ['Pay', 'Refuse'] },
  {
    title: 'How much?',
    json_schema: {
      type: 'object',
      title: 'Order',
      properties: { amount: { type: 'integer', minimum: 1 }, by: { type: 'string' } },
      required: ['amount'],
    },
  },
];

test('the inbox lists what runs wait for, and takes choices and forms as answers', async () => {
  const opened = await openConsole({ viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  const person = await enterConsole(opened);
  const runs: string[] = [];
  for (const form of QUESTIONS) {
    const deploymentId = await deploy(
      person,
      await storeFlow(person, askingFlow(form), { name: `Shop ${form.title}` }),
    );
    const { flow_run_id } = await start(person, `id=${deploymentId}`);
    await pendingInputs(person, flow_run_id);
    runs.push(flow_run_id);
  }

  await opened.goto('runs');
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox', exact: true });
  await link.locator('[data-count="2"]').waitFor();
  expect(await link.getAttribute('title')).toBe('2 waiting');
  await link.click();
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  const items = page.getByRole('list', { name: 'Waiting runs' }).getByRole('listitem');
  const choice = items.filter({ hasText: HTML });
  await choice.getByText('Line one').waitFor();
  await choice.getByText(/asks, started by you\. Please answer by .*, in 7 days\.$/).waitFor();
  expect(await choice.innerText()).not.toMatch(/the node|waits/);
  expect(await choice.getByRole('link').getAttribute('href')).toMatch(new RegExp(`/runs/${runs[0]}$`));
  await opened.checkAccessibilityInBoth();
  await choice.getByRole('button', { name: 'Pay' }).click();
  expect(await finishedRun(person, runs[0]!)).toMatchObject({ output: { M: { answer: { S: 'Pay' } } } });
  await choice.waitFor({ state: 'detached' });

  const form = items.filter({ hasText: 'How much?' });
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await form.getByRole('textbox', { name: 'amount' }).fill('12');
  await form.getByRole('button', { name: 'Send' }).click();
  const { output } = await finishedRun(person, runs[1]!);
  expect(output).toEqual({ M: { answer: { M: { amount: { U: '12' } } } } });
  await page.getByRole('heading', { name: 'No run waits for you' }).waitFor();
  expect(await page.locator('main img, main b').count()).toBe(0);
});
