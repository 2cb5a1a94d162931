import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { RunRow } from 'flow-deployments-client';
import { useApi } from '../shared/api.tsx';
import { objectAt } from '../shared/graph/drawn_node.ts';
import { When } from '../shared/time/when.tsx';
import { toPlainJson } from './plain_json.ts';

/** What a queued run waits for because of the limits by key. */
interface Wait {
  state: 'blocked' | 'sleeping';
  due_at: string | null;
  queue_key: string | null;
}

/** The milliseconds between two looks. */
const LOOK_MS = 2_000;
const SHOWN_CHARACTERS = 100;

/** Describes the runs with the same key as a run. */
function othersWithKey(queueKey: string | null, run: RunRow): string {
  if (queueKey === null) return 'of the deployment';
  if (queueKey === 'caller') return 'of the same caller';
  const value = objectAt(run.inputs, 'M')[queueKey];
  const text = value === undefined ? 'none' : JSON.stringify(toPlainJson(value));
  return `with the ${queueKey} ${text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text}`;
}

/** Tells why a queued run does not begin, if the limits by key of its deployment are the cause. */
export function RunWait({ run }: { run: RunRow }) {
  const { db } = useApi();
  const { data: wait } = useQuery({
    queryKey: ['runs', 'wait', run.id],
    queryFn: async ({ signal }) => {
      const { data } = await db.rpc('flow_run_wait', { flow_run_id: run.id }).abortSignal(signal).throwOnError();
      // SAFETY: the function's comment defines the shape of its answer.
      return data as unknown as Wait | null;
    },
    refetchInterval: LOOK_MS,
  });
  if (!wait) return null;
  return (
    <Text size='sm' className='console-text'>
      {wait.due_at === null ? `Begins when an earlier run ${othersWithKey(wait.queue_key, run)} has ended.` : (
        <>
          Begins <When at={wait.due_at} />
        </>
      )}
    </Text>
  );
}
