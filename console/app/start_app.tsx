import StartRoutes from '../start/routes.tsx';
import type { ConsoleConfig } from '../shared/config.ts';
import { Providers } from './providers.tsx';

/** The start page. It has no navigation, because its visitors need no account. */
export default function StartApp({ config }: { config: ConsoleConfig }) {
  return (
    <Providers config={config}>
      <StartRoutes />
    </Providers>
  );
}
