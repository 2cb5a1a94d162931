import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, finishedRun, signUp, start, storeFlow } from '../support/people.ts';
import { answer, pendingInputs } from '../support/pending_inputs.ts';
import { asSuperuser } from '../support/tokens.ts';

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

/** A flow that asks about its input `amount`, and outputs the answer. */
function expenseFlow(answered_by: string | string[]): FlowBuilder {
  const flow = new FlowBuilder();
  const form = {
    answered_by,
    title: `May we pay? ${HOSTILE}`,
    choices: ['Approve', 'Refuse', 'Ask again'],
    shown_inputs: ['amount'],
  };
  flow.output('amount', flow.input('amount'));
  flow.input('secret');
  flow.output('answer', flow.use('api_input', {}, { form, title: 'Ask' }).output('value'));
  return flow;
}

test('a listed person finds the question with flow, starter and inputs in the inbox, and answers', async () => {
  const opened = await openConsole({ viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  const [owner, starter] = await Promise.all([signUp(), signUp()]);
  const listed = await enterConsole(opened);
  const email = `${randomUUID()}@example.com`;
  await asSuperuser(async (sql) => {
    await sql`update auth.users set email_confirmed_at = now() where email = ${listed.email}`;
    await sql`update auth.users set email = ${email}, email_confirmed_at = now() where id = ${starter.id}`;
  });
  const id = await deploy(owner, await storeFlow(owner, expenseFlow([listed.email]), { name: 'Expenses' }));
  await owner.client.from('flow_deployments').update({ start_permission: 'Authenticated' }).eq('id', id).throwOnError();
  const { flow_run_id } = await start(starter, `id=${id}`, { values: { amount: 120, secret: 'hidden' } });
  await pendingInputs(owner, flow_run_id);

  await opened.goto('inbox');
  const item = page.getByRole('list', { name: 'Waiting runs' }).getByRole('listitem');
  await item.getByText(`Expenses asks, started by ${email}`).waitFor();
  await item.getByText(HOSTILE).waitFor();
  expect(await item.getByRole('link').count()).toBe(0);
  expect((await item.locator('dl').innerText()).split(/\s+/)).toEqual(['amount', '120']);
  const style = (name: string) =>
    item.getByRole('button', { name }).evaluate((button) => getComputedStyle(button).backgroundColor);
  expect(await style('Approve')).not.toBe(await style('Refuse'));
  await opened.checkAccessibilityInBoth();
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await item.getByRole('button', { name: 'Approve' }).click();
  expect(await finishedRun(owner, flow_run_id)).toMatchObject({ output: { M: { answer: { S: 'Approve' } } } });
  await page.getByRole('heading', { name: 'No run waits for you' }).waitFor();
  expect(await page.locator('main img').count()).toBe(0);
});

test('the owner sees who must answer and who has answered, and the inbox asks only those who may', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const person = await signUp();
  const email = `${randomUUID()}@example.com`;
  await asSuperuser((sql) =>
    sql`update auth.users set email = ${email}, email_confirmed_at = now() where id = ${person.id}`
  );
  const id = await deploy(owner, await storeFlow(owner, expenseFlow([email])));
  const { flow_run_id } = await start(owner, `id=${id}`);
  const [input] = await pendingInputs(owner, flow_run_id);
  await opened.goto('inbox');
  await page.getByRole('heading', { name: 'No run waits for you' }).waitFor();
  await opened.goto(`runs/${flow_run_id}`);
  await page.getByText('Only the people whom the node lists may answer.').waitFor();
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  await opened.checkAccessibility();
  await answer(input!.url, { values: 'Refuse' }, { authorization: `Bearer ${person.token}` });
  await finishedRun(owner, flow_run_id);
  await page.getByRole('region', { name: 'Graph' }).getByText('Ask', { exact: true }).first().click();
  await page.getByText(`Answered by ${email}`).waitFor();
  await opened.checkAccessibility();
});

test('a new node API Input lets the owner answer, and its panel lists other people', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const owner = await enterConsole(opened);
  const flow = await storeFlow(owner, new FlowBuilder());
  await goto(`flows/${flow}`);
  await page.getByRole('region', { name: 'Canvas' }).waitFor();
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Find a node' });
  await search.fill('API Input');
  await page.getByRole('option', { name: 'API Input', exact: true }).waitFor();
  await search.press('Enter');
  const who = page.getByRole('combobox', { name: 'Who may answer' });
  await who.waitFor();
  const formData = async () => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const { data } = await owner.client.from('flows').select('nodes').eq('id', flow).single().throwOnError();
    const [node] = data.nodes as { data: { targets_form: { form_data: object } } }[];
    return node!.data.targets_form.form_data;
  };
  expect(await who.inputValue()).toBe('owner');
  expect(await formData()).toEqual({ answered_by: 'owner' });
  await who.selectOption('People with these e-mail addresses');
  const emails = page.locator('input').and(page.getByLabel('E-mail addresses'));
  await emails.fill('ann@example.com');
  await emails.press('Enter');
  await emails.fill('bob');
  await emails.press('Enter');
  await page.getByText('bob is no e-mail address').waitFor();
  await opened.checkAccessibilityInBoth();
  await emails.press('Backspace');
  expect(await formData()).toEqual({ answered_by: ['ann@example.com'] });
  await who.selectOption('Whoever started the run');
  expect(await formData()).toEqual({ answered_by: 'starter' });
});

test('a node of a former release keeps its rule until the owner chooses another one', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const owner = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.use('api_input', {}, { title: 'Ask' });
  await goto(`flows/${await storeFlow(owner, flow)}`);
  await page.locator('.react-flow__node').filter({ hasText: 'Ask' }).click();
  const who = page.getByRole('combobox', { name: 'Who may answer' });
  expect(await who.inputValue()).toBe('anyone_with_the_link');
  await who.selectOption('owner');
  expect(await who.inputValue()).toBe('owner');
});
