import { useQuery } from '@tanstack/react-query';
import { useUserId } from '../session/use_user_id.ts';
import { useApi } from './api.tsx';

/** How many flows there are to choose from: the newest. */
const OFFERED = 200;

/** A flow as a list to choose from has it. */
export interface FlowChoice {
  /** Its id. */
  value: string;
  label: string;
}

/** The newest flows of the user, to choose from. Public flows of others can be read, too, but not deployed. */
export function useFlowChoices(): FlowChoice[] {
  const { db } = useApi();
  const userId = useUserId();
  const { data: choices = [] } = useQuery({
    queryKey: ['flows', 'choices'],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('flows').select('id, name').eq('user_id', userId)
        .order('updated_at', { ascending: false }).order('id').limit(OFFERED).abortSignal(signal).throwOnError();
      return data.map(({ id, name }) => ({ value: String(id), label: name === '' ? `Flow ${id}` : `${name} (${id})` }));
    },
  });
  return choices;
}
