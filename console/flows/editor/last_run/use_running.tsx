import type { DeploymentInput, PlainValues } from 'flow-deployments-client';
import { lazy, Suspense, useState } from 'react';
import { refuseUnreadable } from '../actions.ts';
import { useEditor } from '../editor_context.tsx';
import { nodeIdOf } from '../flow_document.ts';
import { drawnNode } from '../view.ts';
import { draftInputs } from './store/draft_inputs.ts';
import type { RunRequest } from './store/starting.ts';

const InputsDialog = lazy(async () => ({ default: (await import('./inputs_dialog.tsx')).InputsDialog }));

/** True if a required input has no value from an earlier run. */
const lacksValues = (inputs: readonly DeploymentInput[], values: PlainValues): boolean =>
  inputs.some(({ name, required }) => required && values[name] === undefined);

/** Returns only the values of inputs that the flow still has. */
const knownValues = (inputs: readonly DeploymentInput[], values: PlainValues): PlainValues =>
  Object.fromEntries(
    inputs.filter(({ name }) => values[name] !== undefined).map(({ name }) => [name, values[name]!]),
  );

/**
 * Starts the flow. Before a run of all nodes, asks the user for the flow's inputs. Before a partial run, asks only if
 * required inputs have no value.
 */
export function useRunning(start: (request: RunRequest) => void, lastValues: PlainValues) {
  const { store } = useEditor();
  const [asked, setAsked] = useState<{ request: RunRequest; inputs: DeploymentInput[] }>();
  const run = (request: RunRequest = {}) => {
    if (refuseUnreadable(store)) return;
    const { document } = store.state();
    const inputs = draftInputs(document);
    const values = knownValues(inputs, lastValues);
    const executesInput = request.only === undefined ||
      document.nodes.some((json) => request.only?.has(nodeIdOf(json)) && drawnNode(json).nodeId === 'flow_input');
    const mustAsk = inputs.length > 0 &&
      (request.only === undefined || (executesInput && lacksValues(inputs, values)));
    if (mustAsk) setAsked({ request, inputs });
    else start({ ...request, ...(inputs.length > 0 && { values }) });
  };
  const dialog = asked && (
    <Suspense>
      <InputsDialog
        inputs={asked.inputs}
        former={lastValues}
        onClose={() => setAsked(undefined)}
        onSubmit={(values) => {
          setAsked(undefined);
          start({ ...asked.request, values });
        }}
      />
    </Suspense>
  );
  return { run, dialog };
}
