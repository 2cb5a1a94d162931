import { Select } from '@mantine/core';
import { useFlowChoices } from './use_flow_choices.ts';

/**
 * Chooses one of the user's flows, or all flows (`undefined`). If the chosen flow is not in the list, its id is shown.
 */
export function FlowFilter({ flow, choose }: { flow: number | undefined; choose: (flow: number | undefined) => void }) {
  const flows = useFlowChoices();
  const chosen = flow === undefined ? null : String(flow);
  const isOffered = chosen === null || flows.some(({ value }) => value === chosen);
  return (
    <Select
      label='Flow'
      placeholder='All flows'
      data={isOffered ? flows : [...flows, { value: chosen, label: `Flow ${chosen}` }]}
      value={chosen}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear the flow' }}
      nothingFoundMessage='No flow of yours has this name'
      onChange={(next) => choose(next === null ? undefined : Number(next))}
    />
  );
}
