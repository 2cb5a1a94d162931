import type { ConsoleConfig } from '../shared/config.ts';
import { Providers } from './providers.tsx';
import { Pages } from './routes.tsx';
import { Shell } from './shell.tsx';

export default function SignedInApp({ config }: { config: ConsoleConfig }) {
  return (
    <Providers config={config}>
      <Shell>
        <Pages />
      </Shell>
    </Providers>
  );
}
