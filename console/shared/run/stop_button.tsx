import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api.tsx';
import { ConfirmButton } from '../dialogs/confirm_button.tsx';

/** A button that asks a run to stop. */
export function StopButton({ runId }: { runId: string }) {
  const { flows } = useApi();
  const queries = useQueryClient();
  return (
    <ConfirmButton
      label='Stop'
      question='No further node starts, and running nodes are cut off. Their effects outside are not undone.'
      onConfirm={async () => {
        await flows.stop(runId, { reason: 'stopped in the console' });
        await queries.invalidateQueries({ queryKey: ['runs'] });
      }}
    />
  );
}
