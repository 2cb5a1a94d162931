import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FormerSettings } from '../../../shared/deploying/former_settings.ts';
import { SettingsChoice } from '../../../shared/deploying/settings_choice.tsx';
import type { FlowProblem } from './problem.ts';
import { ProblemList } from './problem_list.tsx';

/**
 * Asks before a deploy whether the settings of the former deployment are kept, and whether to deploy a flow whose runs
 * would fail.
 */
export default function DeployQuestion({ problems, former, onDeploy, onClose }: {
  problems: readonly FlowProblem[];
  /** Undefined if the flow has no former deployment. */
  former: FormerSettings | undefined;
  onDeploy: (keepsSettings: boolean) => void;
  onClose: () => void;
}) {
  const [isKept, setKept] = useState(true);
  const wouldFail = problems.length > 0;
  const differing = former?.differing ?? [];
  return (
    <Modal opened onClose={onClose} title={wouldFail ? 'A run would fail' : 'Deploy the flow'} size='lg'>
      <Stack>
        {wouldFail && (
          <>
            <Text size='sm'>Runs of this flow fail at these nodes:</Text>
            <ProblemList problems={problems} most={10} onShow={onClose} />
          </>
        )}
        {differing.length > 0 && <SettingsChoice differing={differing} isKept={isKept} onChange={setKept} />}
        <Group justify='flex-end'>
          <Button variant='default' onClick={onClose} data-autofocus={wouldFail || undefined}>Cancel</Button>
          <Button
            color={wouldFail ? 'red' : undefined}
            onClick={() => onDeploy(isKept)}
            data-autofocus={!wouldFail || undefined}
          >
            {wouldFail ? 'Deploy anyway' : 'Deploy'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
