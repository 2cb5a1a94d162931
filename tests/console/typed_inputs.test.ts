import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, type Person, signUp, storeFlow } from '../support/people.ts';

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

async function deployOrder(owner: Person): Promise<string> {
  const flow = new FlowBuilder();
  flow.use('branch', {
    value: flow.input('express', undefined, { type: 'boolean', title: 'By express' }),
  }, { form: { operator: 'is_true' } });
  flow.input('email', undefined, { type: 'email', title: 'Your e-mail address', help: HOSTILE, required: true });
  flow.input('size', 'M', { type: 'text', title: 'Size', choices: ['S', 'M', 'L'] });
  flow.input('count', undefined, { type: 'integer', title: 'How many', required: true });
  flow.input('when', undefined, { type: 'date', title: 'Day of delivery' });
  flow.input('plain', 'x');
  const id = await deploy(owner, await storeFlow(owner, flow));
  await owner.client.from('flow_deployments').update({ start_permission: 'Authenticated' }).eq('id', id).throwOnError();
  return id;
}

test('a start page shows what the author says, and refuses wrong entries at their fields', async () => {
  const owner = await signUp();
  const id = await deployOrder(owner);
  const opened = await openConsole();
  const { page, checkAccessibility } = opened;
  await enterConsole(opened);
  await opened.goto(`start/${id}`);
  const mail = page.getByRole('textbox', { name: 'Your e-mail address' });
  await mail.fill('ada');
  await page.getByText(HOSTILE).waitFor();
  // Neither the help of the branch nor the names of types are for those who start.
  expect(await page.getByText(/compare|i128/i).count()).toBe(0);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('must be an e-mail address').waitFor();
  // The branch needs its value, and the author the other.
  await expect.poll(() => page.getByText('must be given').count()).toBe(2);
  await checkAccessibility();
  await mail.fill('ada@example.com');
  await page.getByRole('textbox', { name: 'How many' }).fill('2');
  await page.getByLabel('Day of delivery').fill('2026-12-01');
  for (const [field, option] of [['Size', 'L'], ['By express', 'Yes']] as const) {
    await page.getByLabel(field).first().click();
    await page.getByRole('option', { name: option, exact: true }).click();
  }
  await page.setViewportSize({ width: 360, height: 900 });
  await checkAccessibility();
  await page.screenshot({ path: '.stack/screenshots/typed_inputs.png', fullPage: true });
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('succeeded', { exact: true }).waitFor();
  const { data } = await owner.client.from('flow_run').select('inputs').eq('deployment_id', id).single().throwOnError();
  expect(data).toEqual({
    inputs: {
      M: {
        express: { B: true },
        email: { S: 'ada@example.com' },
        size: { S: 'L' },
        count: { I: '2' },
        when: { S: '2026-12-01' },
      },
    },
  });
});
