import StartRoutes from '../start/routes.tsx';
import type { ConsoleConfig } from '../shared/config.ts';
import { Providers } from './providers.tsx';

/** The page for strangers has no navigation. */
export default function StartApp({ config }: { config: ConsoleConfig }) {
  return (
    <Providers config={config}>
      <StartRoutes />
    </Providers>
  );
}
