import { Badge, Group, Stack, Text } from '@mantine/core';
import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';
import { withoutNotes } from './problem.ts';
import { useProblems } from './problems_context.tsx';
import { ProblemList } from './problem_list.tsx';

/** The most problems in the list. */
const LISTED = 200;

/** The region that lists the problems of the drawn flow. */
export default function ProblemsRegion() {
  const { list, isCurrent, isComplete, waitsForSave, error } = useProblems();
  const hasRefusals = list.some(({ severity }) => severity === 'prevents_deploy');
  return (
    <Stack component='section' aria-label='Problems' gap='xs'>
      <Group gap='xs' role='status'>
        {withoutNotes(list).length === 0 && isCurrent && <Text size='sm' c='dimmed'>A check found no problems.</Text>}
        {waitsForSave && <Text size='sm'>This flow is larger than 1 MiB, so it is checked when it is saved.</Text>}
        {!isCurrent && !waitsForSave && error === null && (
          <Badge variant='light' color='gray' tt='none'>checking the last changes</Badge>
        )}
        {waitsForSave && list.length > 0 && <Badge variant='light' color='gray' tt='none'>of the last check</Badge>}
      </Group>
      <ErrorAlert error={error} />
      <ProblemList problems={list} most={LISTED} />
      {hasRefusals && (
        <Text size='xs' c='dimmed'>
          Correct the errors first. They prevent a deploy, and warnings are found only without errors.
        </Text>
      )}
      {!isComplete && (
        <Text size='xs' c='dimmed'>
          Some of the flows that this flow calls were left out, because they are larger than 1 MiB together. A deploy
          checks them.
        </Text>
      )}
    </Stack>
  );
}
