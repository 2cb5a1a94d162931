import { useQuery } from '@tanstack/react-query';
import { useUserId } from '../session/use_user_id.ts';
import { useApi } from '../shared/api.tsx';

/** The most flows whose folders are read. */
const READ = 1_000;

/** The names of the user's folders. A folder exists as long as a flow is in it. */
export function useFolders(): string[] {
  const { db } = useApi();
  const userId = useUserId();
  const { data = [] } = useQuery({
    queryKey: ['flows', 'folders'],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('flows').select('folder').eq('user_id', userId).neq('folder', '').order('folder')
        .limit(READ).abortSignal(signal).throwOnError();
      return [...new Set(data.map(({ folder }) => folder))];
    },
  });
  return data;
}
