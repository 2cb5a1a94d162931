import { Alert, Button, CopyButton, Group, List, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { DeploymentDescription, PlainValues, StartedRun } from 'flow-deployments-client';
import { useState } from 'react';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { InputsForm } from '../shared/form/inputs_form.tsx';
import { Icon } from '../shared/icon.tsx';
import { linkWithValues, readLinkValues } from './link_values.ts';
import { asKey, initialValues, type Starter } from './starter.ts';

/** A button that copies the address of the page with the values of the form. */
function CopyLink({ deployment: { inputs }, values }: { deployment: DeploymentDescription; values: unknown }) {
  const link = linkWithValues(window.location.href, values, inputs);
  if (link === undefined) return <Text size='sm' c='dimmed'>The values are too long for a link.</Text>;
  return (
    <CopyButton value={link}>
      {({ copied, copy }) => (
        <Button
          variant='default'
          leftSection={<Icon name='link' />}
          title='Everybody who has the link sees the values.'
          onClick={copy}
        >
          {copied ? 'Copied' : 'Copy link with these values'}
        </Button>
      )}
    </CopyButton>
  );
}

interface StartFormProps {
  deployment: DeploymentDescription;
  starter: Starter;
  onStarted: (run: StartedRun) => void;
}

/**
 * The form with the inputs of a start. A link can fill in some of them, and the visitor sees these values before the
 * start.
 */
export function StartForm({ deployment, starter, onStarted }: StartFormProps) {
  const { flows } = useApi();
  const [link] = useState(() => readLinkValues(window.location.hash, deployment.inputs));
  const [initial] = useState(() => ({ ...link.values, ...initialValues(deployment.inputs, starter) }));
  const [values, setValues] = useState<unknown>(initial);
  const starting = useMutation({
    mutationFn: (given: PlainValues) => flows.start({ id: deployment.deployment_id }, given, asKey(starter)),
    onSuccess: ({ flow_run_id, token }) => onStarted({ flow_run_id, token }),
  });
  return (
    <InputsForm
      idPrefix='start'
      inputs={deployment.inputs}
      initial={initial}
      disabled={starting.isPending}
      onChange={setValues}
      onSubmit={(given) => starting.mutate(given)}
    >
      {link.remarks.length > 0 && (
        <Alert color='yellow' role='status' title='Some values of the link are not used'>
          <List size='sm' className='console-text'>
            {link.remarks.map((remark) => <List.Item key={remark}>{remark}</List.Item>)}
          </List>
        </Alert>
      )}
      <ErrorAlert error={starting.error} />
      <Group>
        <Button type='submit' size='md' loading={starting.isPending}>Start</Button>
        {deployment.inputs.length > 0 && <CopyLink deployment={deployment} values={values} />}
      </Group>
    </InputsForm>
  );
}
