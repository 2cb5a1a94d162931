import { Alert, Code, Stack, Text } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { FoldedLines } from '../shared/errors/folded_lines.tsx';
import { readRunError } from '../shared/errors/run_error.ts';

/** The most errors that are shown at first. The folded details contain all errors. */
const TOLD = 3;

const TRY_LESS = 'The run reached a limit. Try again with less data, or tell the person who gave you this address.';
const NOT_YOU = 'This is not your fault. Tell the person who gave you this address.';

/** Advice for visitors of the start page, by the codes of run errors. */
const HINTS: ReadonlyMap<string, string> = new Map([
  [
    'outcome_unknown',
    'A part of the run may have happened. Ask the person who gave you this address before you start again.',
  ],
  ['worker_lost', 'The server had trouble. Start again a little later.'],
  ['node_cpu_limit', TRY_LESS],
  ['node_executions_limit', TRY_LESS],
  ['node_not_implemented', NOT_YOU],
  ['run_time_limit', TRY_LESS],
  ['open_nodes_limit', NOT_YOU],
  ['run_size_limit', TRY_LESS],
  ['output_too_large', TRY_LESS],
  ['run_outputs_limit', TRY_LESS],
]);

const USUAL_HINT =
  'Start again with other inputs. If they are right, tell the person who gave you this address, with the ' +
  'number of the run below.';

/**
 * Describes a line of a run's errors for a visitor. The description does not name the node, because the visitor does
 * not know the flow.
 */
function tell(line: string): { message: string; code: string | undefined; hint: string } {
  const { code, message } = readRunError(line);
  const hint = code === undefined ? undefined : HINTS.get(code);
  if (hint !== undefined) return { message, code, hint };
  return { message: code === undefined ? message : `${code}: ${message}`, code: undefined, hint: USUAL_HINT };
}

/** Explains the failure or the stop of a run to a visitor who did not draw the flow. */
export function RunFailure({ status, errors }: Pick<RunRow, 'status' | 'errors'>) {
  const lines = errors ?? [];
  if (status === 'stopped') {
    return (
      <Alert color='orange' title='The run was stopped' role='alert'>
        <Stack gap='xs'>
          <Text size='sm'>
            You or the owner of the flow stopped the run. Effects that had happened before are not undone.
          </Text>
          <FoldedLines title='Details' lines={lines} />
        </Stack>
      </Alert>
    );
  }
  if (lines.length === 0) return null;
  const told = lines.slice(0, TOLD).map(tell);
  return (
    <Alert color='red' title='The run has failed' role='alert'>
      <Stack gap='xs'>
        {told.map(({ message, code }, index) => (
          <Text key={index} size='sm' component='div' className='console-text' lineClamp={8}>
            {message} {code !== undefined && <Code>{code}</Code>}
          </Text>
        ))}
        {lines.length > TOLD && <Text size='sm'>… and {lines.length - TOLD} more errors</Text>}
        <Text size='sm'>{told[0]!.hint}</Text>
        <FoldedLines title='Details' lines={lines} />
      </Stack>
    </Alert>
  );
}
