import { Text } from '@mantine/core';
import type { PendingInput } from 'flow-deployments-client';
import { useSession } from '../../session/session_context.tsx';
import { Deadline } from '../time/deadline.tsx';

interface AskedByProps {
  input: PendingInput;
  /** True if the reader has started the run as a guest. */
  isGuest: boolean;
}

/** Says which flow asks, who started it, and until when an answer is taken. */
export function AskedBy({ input: { flow_name, starter, expires_at }, isGuest }: AskedByProps) {
  const session = useSession();
  const isStarter = isGuest || typeof session === 'object' && session.email.toLowerCase() === starter;
  return (
    <Text size='sm' className='console-text'>
      {flow_name || 'A flow'} asks, started by {isStarter ? 'you' : starter ?? 'a guest'}. Please answer by{' '}
      <Deadline at={expires_at} />.
    </Text>
  );
}
