import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { FlowProblem } from './problem.ts';
import { ProblemList } from './problem_list.tsx';

/** Asks whether to deploy a flow whose runs would fail. */
export default function DeployQuestion({ problems, onDeploy, onClose }: {
  problems: readonly FlowProblem[];
  onDeploy: () => void;
  onClose: () => void;
}) {
  return (
    <Modal opened onClose={onClose} title='A run would fail' size='lg'>
      <Stack>
        <Text size='sm'>Runs of this flow fail at these nodes:</Text>
        <ProblemList problems={problems} most={10} onShow={onClose} />
        <Group justify='flex-end'>
          <Button variant='default' onClick={onClose} data-autofocus>Cancel</Button>
          <Button color='red' onClick={onDeploy}>Deploy anyway</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
