import { MantineProvider } from '@mantine/core';
import '@mantine/core/styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { makeSessionStore } from '../session/session.ts';
import { SessionProvider } from '../session/session_context.tsx';
import '../shared/console.css';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { App } from './app.tsx';
import { loadConfig } from '../shared/config.ts';
import { theme } from './theme.ts';

const root = createRoot(document.getElementById('root')!);
const show = (content: React.ReactNode) =>
  root.render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme='auto'>{content}</MantineProvider>
    </StrictMode>,
  );

try {
  const config = await loadConfig();
  show(
    <Router base={import.meta.env.BASE_URL.replace(/\/$/, '')}>
      <SessionProvider store={makeSessionStore(config.url, config.key)}>
        <App config={config} />
      </SessionProvider>
    </Router>,
  );
} catch (error) {
  show(<ErrorAlert error={error} />);
}
