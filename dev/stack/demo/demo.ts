import { join, relative } from 'node:path';
import { ZodError } from 'zod';
import { readStatus, stackDir, type StackStatus } from '../../../platform/local_stack/running_stacks.ts';
import { EXAMPLE_VALUES, exampleFile, readArguments, USAGE } from './demo_arguments.ts';
import { makeLoggingFetch } from './demo_output.ts';
import type { Demo, Shown } from './demo_steps.ts';
import { projectDir } from '../paths.ts';
import { findFreePort } from '../ports.ts';
import { isUsageError, StackError, usageFault } from '../stack_error.ts';
import { chooseRunningPort } from '../stack_record.ts';
import { findStackUser } from '../../../client/shell/stack_user.ts';

/** Returns the labels of a flow's inputs. */
function inputLabels({ nodes }: Demo['row']): string[] {
  const data = nodes.map((node) =>
    node.data as { node_id?: string; targets_form?: { form_data?: { label?: string } } }
  );
  return data.flatMap((node) => node?.node_id === 'flow_input' ? [node.targets_form?.form_data?.label ?? ''] : []);
}

/** Prints commands to try after the demo of this flow. The commands name the port if the user has named a port. */
function showNext(
  { row, body }: Pick<Demo, 'row' | 'body'>,
  file: string,
  port: number | undefined,
  stays: boolean,
): void {
  const isExample = file === exampleFile;
  const labels = inputLabels(row);
  const onPort = port === undefined ? '' : `--port ${port} `;
  const demo = `npm run demo -- ${onPort}${isExample ? '' : `${relative(process.env.INIT_CWD ?? '.', file)} `}`;
  const values = isExample ? EXAMPLE_VALUES : `{"${labels[0]}": …}`;
  const has = `the flow with inputs of your own; it has ${labels.join(', ')}`;
  const next = [
    ...labels.length > 0 && body === undefined ? [[has, `${demo}--values '${values}'`]] : [],
    ...isExample ? [['a flow that your editor exported', `npm run demo -- ${onPort}path/to/flow.json`]] : [],
    ['all requests and answers, whole', `${demo}--verbose`],
    ...stays ? [] : [[
      'a stack that keeps running: a demo in another shell leaves its user and flow there for the console',
      'npm start',
    ]],
  ];
  console.log(`\nNext:\n${next.map(([what, command]) => `  ${command}\n      ${what}`).join('\n')}`);
}

/** The stack of a demo. */
interface DemoStack {
  status: StackStatus;
  /** The folder in which the stack stores its user. */
  dir: string;
  /** True if the stack keeps running after the demo. */
  stays: boolean;
}

/**
 * Does work on the stack at the named port, or by default on the only running stack. If no such stack runs, boots a new
 * stack and deletes it afterwards.
 */
async function withStack(named: number | undefined, work: (stack: DemoStack) => Promise<void>): Promise<void> {
  const port = chooseRunningPort(named);
  const running = readStatus(port);
  if (running !== undefined) {
    console.log(`Using the stack on ${running.API_URL}. The demo's user and flow stay there.`);
    return await work({ status: running, dir: stackDir(port), stays: true });
  }
  console.log('No stack runs, so the demo boots one of its own, which is deleted when the demo ends.');
  const dir = join(projectDir, '.stack', `demo-${process.pid}`);
  const stopRequest = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopRequest.abort());
  const began = performance.now();
  const { startStack } = await import('../stack.ts');
  const stack = await startStack({
    port: named ?? await findFreePort(),
    dir,
    watch: false,
    onProgress: (line) => console.log(line),
    signal: stopRequest.signal,
  });
  console.log(`Booted a stack on ${stack.status.API_URL} in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
  try {
    await work({ status: stack.status, dir, stays: false });
  } finally {
    await stack.remove();
  }
}

/** Prints the address and the user for looking at the demo's flow. */
function showLeft({ status, user }: Pick<Demo, 'status' | 'user'>, { flowId }: Shown): void {
  console.log(`
Look at it in the console:
  ${status.CONSOLE_URL}flows/${flowId}
      email     ${user.email}
      password  ${user.password}
The shell acts as the same user: npx flows runs. If the shell acts as another user: npx flows login ${user.email}`);
}

try {
  const demoArguments = await readArguments();
  if (demoArguments === undefined) {
    console.log(USAGE);
    process.exit();
  }
  const { file, row, body, port, verbose } = demoArguments;
  let stays = false;
  await withStack(port, async (stack) => {
    // Loaded only here, so that a wrong command line is reported without waiting for these modules.
    await import('../websocket.ts');
    const { demonstrate } = await import('./demo_steps.ts');
    const { status } = stack;
    stays = stack.stays;
    const user = await findStackUser(stack.dir, { url: status.API_URL, key: status.PUBLISHABLE_KEY });
    const shown = await demonstrate({ status, user, row, body, fetch: makeLoggingFetch(verbose) });
    console.log('\nAll of it held.');
    if (stays) showLeft({ status, user }, shown);
  });
  showNext({ row, body }, file, port, stays);
} catch (error) {
  if (error instanceof StackError) console.error(`\n${error.message}`);
  else if (isUsageError(error)) console.error(`\n${usageFault(error)}\n${USAGE}`);
  else if (error instanceof ZodError) {
    console.error(`\nThe file must hold a flow as the editor exports it: ${error.message}`);
  } else console.error(error);
  process.exit(1);
}
process.exit();
