import type { RunReference, StartedRun } from '../flow_client.ts';
import { FlowError } from '../flow_error.ts';
import { toReadableJson } from '../../types/values/json/readable_json.ts';
import type { ValueMap } from '../../types/values/value.ts';
import type { CommandContext } from './command.ts';
import { printableBlock, printableJson, printableLine } from './printable.ts';

/**
 * Waits for the output of a run, and returns it as tagged values. If the wait times out, the hint of the error names
 * the run and the command that waits again.
 */
export async function waitForOutput(
  { client, signal }: CommandContext,
  run: RunReference<object>,
  timeoutSeconds: number | undefined,
): Promise<ValueMap> {
  try {
    return await client.outputValues(run, {
      signal,
      ...(timeoutSeconds !== undefined && { timeoutMs: timeoutSeconds * 1000 }),
    });
  } catch (error) {
    const id = typeof run === 'string' ? run : run.flow_run_id;
    if (!(error instanceof FlowError) || !['timed_out', 'aborted'].includes(error.code)) throw error;
    throw new FlowError({
      ...error,
      message: error.message,
      hint: `Run ${id} continues. To wait for its output: flows output ${id}`,
    });
  }
}

/** Prints each value of an output: a text as it is, and any other value as JSON without type tags. */
export async function printOutput({ screen }: CommandContext, output: ValueMap): Promise<void> {
  for (const [name, value] of Object.entries(output)) {
    const json = toReadableJson(value);
    const text = typeof json === 'string' ? printableBlock(json) : printableJson(json);
    await screen.print(`${printableLine(name)}: ${text}`);
  }
}

/**
 * Ends a command that has started a run. Without --wait, prints the id and token of the run. With --wait, waits for the
 * end of the run and prints its output.
 */
export async function printRun(
  context: CommandContext,
  run: StartedRun,
  { waits, timeout }: { waits: boolean; timeout: number | undefined },
): Promise<void> {
  const { screen, isJson } = context;
  const { flow_run_id, token } = run;
  if (!waits) {
    if (isJson) return await screen.print(printableJson({ flow_run_id, token }));
    await screen.print(printableLine(`run    ${flow_run_id}`));
    return await screen.print(printableLine(`token  ${token}`));
  }
  screen.progress(printableLine(`waiting for run ${flow_run_id}`));
  const output = await waitForOutput(context, run, timeout);
  if (isJson) return await screen.print(printableJson({ flow_run_id, token, output: { M: output } }));
  await printOutput(context, output);
}
