import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DeploymentInput, PlainValues, RunRow, ValueMap } from 'flow-deployments-client';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { type Api, useApi } from '../shared/api.tsx';
import { callFunction } from '../shared/call_function.ts';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { InputsForm } from '../shared/form/inputs_form.tsx';
import { toFormValues } from '../shared/form/inputs_schema.ts';
import { Loading } from '../shared/page/loading.tsx';
import { toPlainJson } from './plain_json.ts';

/** The inputs of a run, with their tags. */
// SAFETY: the inputs of a run are one value, {"M": {…}}.
const inputsOf = (run: RunRow): ValueMap => (run.inputs as unknown as { M: ValueMap }).M;

/** An input of a run without a deployment. The types of such an input are not known, so it accepts any JSON. */
const anyInput = (name: string): DeploymentInput => ({
  name,
  description: '',
  type_bounds: ['free'],
  required: false,
  default: null,
  json_schema: {},
});

/** Separates the values that the user has changed from the unchanged values, which keep their tags. */
function splitChanged(run: RunRow, initial: PlainValues, values: PlainValues) {
  const had = inputsOf(run);
  const isSame = (name: string) =>
    Object.hasOwn(had, name) && JSON.stringify(values[name]) === JSON.stringify(initial[name]);
  const names = Object.keys(values);
  return {
    inputs: Object.fromEntries(names.filter(isSame).map((name) => [name, had[name]!])),
    values: Object.fromEntries(names.filter((name) => !isSame(name)).map((name) => [name, values[name]!])),
  };
}

/** Starts the deployment of a run again. If the run had no deployment, starts the present flow. */
async function startAgain(api: Api, run: RunRow, sent: ReturnType<typeof splitChanged>): Promise<string> {
  if (run.deployment_id === null) {
    const started = await callFunction<{ flow_run_id: string }>(api, `flow/start/${run.flow_id}`, sent);
    return started.flow_run_id;
  }
  const actionSigner = run.action_signer ?? undefined;
  const { inputs, values } = sent;
  const started = await api.flows.start({ id: run.deployment_id }, values, { inputs, actionSigner });
  return started.flow_run_id;
}

function StartAgainForm(
  { run, inputs, close }: { run: RunRow; inputs: readonly DeploymentInput[]; close: () => void },
) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const initial = useMemo(() => {
    // SAFETY: a map becomes an object.
    const plain = toPlainJson(run.inputs) as PlainValues;
    const known = inputs.filter(({ name }) => Object.hasOwn(plain, name)).map(({ name }) => [name, plain[name]]);
    return toFormValues(inputs, Object.fromEntries(known)) as PlainValues;
  }, [run, inputs]);
  const start = useMutation({
    mutationFn: (values: PlainValues) => startAgain(api, run, splitChanged(run, initial, values)),
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: ['runs'] });
      navigate(`/runs/${id}`);
    },
  });
  return (
    <InputsForm
      idPrefix='again'
      inputs={inputs}
      initial={initial}
      disabled={start.isPending}
      onSubmit={(values) => start.mutate(values)}
    >
      <ErrorAlert error={start.error} />
      <Group justify='flex-end'>
        <Button variant='default' onClick={close}>Cancel</Button>
        <Button type='submit' loading={start.isPending}>Start again</Button>
      </Group>
    </InputsForm>
  );
}

/** A button that starts a new run. Its form contains the inputs of the shown run. */
export function StartAgainButton({ run }: { run: RunRow }) {
  const { flows } = useApi();
  const [isOpen, { open, close }] = useDisclosure();
  const { deployment_id: id } = run;
  const { data: inputs, error } = useQuery({
    queryKey: ['runs', 'inputs', run.id],
    queryFn: async ({ signal }) =>
      id === null ? Object.keys(inputsOf(run)).map(anyInput) : (await flows.read({ id }, { signal })).inputs,
    enabled: isOpen,
  });
  return (
    <>
      <Button onClick={open}>Start again</Button>
      <Modal opened={isOpen} onClose={close} title='Start again' centered size='lg'>
        <Stack>
          <Text>
            {id === null
              ? 'A new run of the flow as it is now. You can change the inputs.'
              : 'A new run of the same deployment. You can change the inputs.'}
          </Text>
          <ErrorAlert error={error} />
          {inputs === undefined && error === null && <Loading label='Reading the inputs' />}
          {inputs !== undefined && <StartAgainForm run={run} inputs={inputs} close={close} />}
        </Stack>
      </Modal>
    </>
  );
}
