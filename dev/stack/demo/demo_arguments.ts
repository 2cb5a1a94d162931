import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { parsePort } from '../../../platform/local_stack/running_stacks.ts';
import { type StartDeploymentParams, startDeploymentParamsSchema } from '../../../types/deployment.ts';
import { editorFlowToRow } from '../../../types/editor/editor_flow.ts';
import { projectDir } from '../paths.ts';
import { StackError } from '../stack_error.ts';
import type { Demo } from './demo_steps.ts';

export const USAGE = 'npm run demo -- [--port N] [--values <json> | --inputs <json>] [--verbose] [path/to/flow.json]';

export const EXAMPLE_VALUES = '{"item": "tea", "quantity": 3}';
const EXAMPLE_INPUTS = '{"item": {"S": "tea"}, "quantity": {"U": "3"}}';

/** The flow of a demo for which the command line names no file. */
export const exampleFile = join(projectDir, 'docs/example_flow.json');

/** What a command line asks the demo to do. */
interface DemoArguments extends Pick<Demo, 'row' | 'body'> {
  /** The path of the flow. */
  file: string;
  port: number | undefined;
  verbose: boolean;
}

/** Reads the body of a start from a command line; undefined if the inputs take their defaults. */
function readBody({ values, inputs }: { values?: string; inputs?: string }): StartDeploymentParams | undefined {
  if (values === undefined && inputs === undefined) return undefined;
  if (values !== undefined && inputs !== undefined) {
    throw new StackError(`Give either --values or --inputs, not both.\n${USAGE}`);
  }
  const [name, text, what] = values !== undefined
    ? ['values' as const, values, `plain JSON by label: '${EXAMPLE_VALUES}'`]
    : ['inputs' as const, inputs!, `the values of inputs by label, tagged as a start takes them: '${EXAMPLE_INPUTS}'`];
  const { success, data, error } = startDeploymentParamsSchema.safeParse({ [name]: parseJson(`--${name}`, text) });
  if (success) return data;
  throw new StackError(`--${name} takes ${what}\n${z.prettifyError(error)}`);
}

function parseJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StackError(`${what} must be JSON: ${(error as Error).message}`);
  }
}

/** Reads the command line and the flow that it names. Returns undefined if the command line asks for help. */
export async function readArguments(): Promise<DemoArguments | undefined> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string' },
      values: { type: 'string' },
      inputs: { type: 'string' },
      verbose: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  if (positionals.length > 1) throw new StackError(`Give only one flow.\n${USAGE}`);
  // npm runs scripts in the project's folder, but a path is relative to the folder from which the person called npm.
  const file = resolve(process.env.INIT_CWD ?? '.', positionals[0] ?? exampleFile);
  if (!existsSync(file)) throw new StackError(`The file ${file} does not exist.`);
  return {
    file,
    row: editorFlowToRow(parseJson(file, await readFile(file, 'utf8'))),
    body: readBody(values),
    port: values.port === undefined ? undefined : parsePort(values.port),
    verbose: values.verbose ?? false,
  };
}
