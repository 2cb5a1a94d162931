import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { PendingInputAlert } from '../shared/inbox/pending_inputs.tsx';
import type { Inbox } from '../shared/inbox/use_inbox.ts';
import { When } from '../shared/time/when.tsx';
import { SignatureRequest } from '../shared/wallet/signature_request.tsx';

/** A run that waits, with the facts that the inbox shows. */
export interface WaitingRun {
  flowName: string;
  cluster: string;
  createdAt: string;
}

/** A waiting run, with its requests to the user and the forms for the answers. */
export function WaitingRunItem({ id, run, inbox }: { id: string; run: WaitingRun | undefined; inbox: Inbox }) {
  const isOfRun = ({ root_flow_run_id }: { root_flow_run_id: string }) => root_flow_run_id === id;
  const asked = inbox.inputs.find(isOfRun);
  return (
    <Stack component='li' gap='xs'>
      <Text size='sm' className='console-text'>
        {run === undefined
          ? <Text span size='sm' fw={600}>{asked?.flow_name || 'A flow'}</Text>
          : <Anchor component={Link} size='sm' fw={600} href={`/runs/${id}`}>{run.flowName}</Anchor>}
        {run !== undefined && (
          <Text span size='sm' c='dimmed'>
            , started <When at={run.createdAt} />
          </Text>
        )}
      </Text>
      {inbox.signatures.some(isOfRun) && <SignatureRequest run={id} runId={id} cluster={run?.cluster ?? ''} />}
      {inbox.inputs.filter(isOfRun).map((input) => <PendingInputAlert key={input.id} input={input} />)}
    </Stack>
  );
}
