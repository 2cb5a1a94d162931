import { useQuery } from '@tanstack/react-query';
import { useUserId } from '../../session/use_user_id.ts';
import { useApi } from '../api.tsx';

/** The most flows in the list: the newest ones. */
const OFFERED = 200;

/** A flow in a list of choices. */
export interface FlowChoice {
  /** The flow's id. */
  value: string;
  label: string;
}

/** Adds the chosen item to the choices if they do not contain it. */
export const withChosen = (choices: FlowChoice[], chosen: string | null, label: string): FlowChoice[] =>
  chosen === null || choices.some(({ value }) => value === chosen) ? choices : [...choices, { value: chosen, label }];

/** Reads the newest flows of the user. Public flows of others can be read, too, but not deployed. */
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
