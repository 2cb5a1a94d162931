import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Address } from '../../../shared/address.tsx';
import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';
import { startPageAddress } from '../../../shared/start_page_address.ts';
import { useEditor } from '../editor_context.tsx';
import { withoutNotes } from '../problems/problem.ts';
import { ProblemList } from '../problems/problem_list.tsx';
import type { Deploying } from './use_deploying.ts';
import { WhoMayStart } from './who_may_start.tsx';

/** Shows the result of the last deploy. */
export function DeployResult({ deploying }: { deploying: Deploying }) {
  const { deployed, findings, error, dismiss } = deploying;
  const { flow } = useEditor();
  if (error !== null && findings.length === 0) return <ErrorAlert error={error} />;
  if (error !== null) {
    return (
      <Alert
        color='red'
        role='alert'
        title='The flow can’t be deployed as it is'
        withCloseButton
        onClose={dismiss}
      >
        <ProblemList problems={findings} />
      </Alert>
    );
  }
  if (deployed === undefined) return null;
  const hasWarnings = withoutNotes(findings).length > 0;
  return (
    <Alert
      color={hasWarnings ? 'yellow' : 'teal'}
      role='status'
      title={hasWarnings ? 'Deployed, with warnings' : 'Deployed'}
      withCloseButton
      onClose={dismiss}
    >
      <Stack gap='xs'>
        {findings.length > 0 && <ProblemList problems={findings} />}
        <Text size='sm'>
          Starts of the flow by its tag latest now use this deployment.{' '}
          <Anchor component={Link} href={`/deployments/${deployed.deployment_id}`} size='sm' underline='always'>
            Open the deployment
          </Anchor>
        </Text>
        <WhoMayStart deployed={deployed} />
        <Address label='Start page' address={startPageAddress({ flow: flow.id })} isPage isInLine />
      </Stack>
    </Alert>
  );
}
