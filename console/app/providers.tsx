import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useSessionStore } from '../session/session_context.tsx';
import { ApiProvider, makeApi } from '../shared/api.tsx';
import type { ConsoleConfig } from '../shared/config.ts';

/**
 * Tests whether the project refused a request. It would refuse the same request again, so the request is not repeated.
 */
const isRefused = (error: unknown): boolean => {
  const status: unknown = typeof error === 'object' && error !== null && Reflect.get(error, 'status');
  return typeof status === 'number' && status >= 400 && status < 500;
};

const makeQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      // A browser without a network still reaches a stack of its own machine. By default, it would pause all requests.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (failures, error) => failures < 2 && !isRefused(error),
      },
    },
  });

/**
 * Provides the clients and the cached rows of one user. If another user signs in, both are made again, so that nobody
 * sees the rows of another user.
 */
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
