import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useSessionStore } from '../session/session_context.tsx';
import { ApiProvider, makeApi } from '../shared/api.tsx';
import type { ConsoleConfig } from '../shared/config.ts';

/** Tests whether an error is a refusal. A refused request is refused again, so the client does not repeat it. */
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

/**
 * The clients and the server state of one user. If another user signs in, both are made anew, so that no user sees the
 * rows of another user.
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
