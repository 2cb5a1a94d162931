import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useSessionStore } from '../session/session_context.tsx';
import { ApiProvider, makeApi } from '../shared/api.tsx';
import type { ConsoleConfig } from '../shared/config.ts';

/** Errors that are the caller's fault stay as they are, however often they are asked. */
const isRefused = (error: unknown): boolean => {
  const status: unknown = typeof error === 'object' && error !== null && Reflect.get(error, 'status');
  return typeof status === 'number' && status >= 400 && status < 500;
};

const makeQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => failures < 2 && !isRefused(error),
      },
    },
  });

/** Server state and clients of one user. It is made anew for the next one, so that nobody sees another's rows. */
export function Providers({ config, children }: { config: ConsoleConfig; children: ReactNode }) {
  const session = useSessionStore();
  const [api] = useState(() => makeApi(config, session));
  const [queryClient] = useState(makeQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <ApiProvider api={api}>{children}</ApiProvider>
    </QueryClientProvider>
  );
}
